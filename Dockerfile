FROM docker.io/library/node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# `npm ci` refuses a lock without the bindings of platforms that are not built for; this installs what the lock says too.
RUN npm install --no-save --no-audit --no-fund
COPY tsconfig.json build.ts ./
COPY src src
COPY schemas schemas
RUN npm run -s build

FROM docker.io/library/node:24-bookworm-slim
LABEL org.opencontainers.image.title="fwdsync" \
      org.opencontainers.image.description="Keeps the email forwarding of many domains in step with a YAML manifest" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /build/dist dist
COPY schemas schemas
COPY examples examples
RUN mkdir -p /var/lib/fwdsync /etc/fwdsync && chown node:node /var/lib/fwdsync
ENV NODE_ENV=production \
    FWDSYNC_FILE=/etc/fwdsync \
    FWDSYNC_STATE_DIR=/var/lib/fwdsync \
    FWDSYNC_LOG_FORMAT=json \
    NODE_DISABLE_COMPILE_CACHE=1
VOLUME /var/lib/fwdsync
USER node
# Alive, not ready: the loop answers. No shell and no curl are needed.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9477/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 9477
ENTRYPOINT ["node", "/app/dist/fwdsync.js"]
CMD ["run"]
