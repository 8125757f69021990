# A release pins the base image by digest.
ARG BASE=docker.io/library/node:24-bookworm-slim

# The bundle is the same on every platform, so it is built on the builder's.
FROM --platform=$BUILDPLATFORM $BASE AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# `npm ci` refuses a lock file that lacks bindings for some platforms. This script installs the same versions.
RUN npm install --no-save --no-audit --no-fund
COPY tsconfig.json build.ts ./
COPY build build
COPY src src
COPY schemas schemas
# For `fwdsync --version --verbose`. There is no git in the image.
ARG SOURCE_COMMIT
ARG SOURCE_DATE_EPOCH
RUN npm run -s build && mkdir empty

FROM $BASE
WORKDIR /app
COPY package.json LICENSE ./
COPY schemas schemas
COPY docs docs
COPY examples examples
COPY --from=build --chown=node:node /build/empty /var/lib/fwdsync
COPY --from=build /build/empty /etc/fwdsync
COPY --from=build /build/dist dist
ENV NODE_ENV=production \
    FWDSYNC_FILE=/etc/fwdsync \
    FWDSYNC_STATE_DIR=/var/lib/fwdsync \
    FWDSYNC_LOG_FORMAT=json \
    NODE_DISABLE_COMPILE_CACHE=1
VOLUME /var/lib/fwdsync
USER node
# Checks that the process is alive, not that it is ready. It needs no shell and no curl.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9477/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 9477
ENTRYPOINT ["node", "/app/dist/fwdsync.js"]
CMD ["run"]
ARG VERSION=unreleased
ARG SOURCE_COMMIT=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="fwdsync" \
      org.opencontainers.image.description="Keeps the email forwarding of many domains in step with a YAML manifest" \
      org.opencontainers.image.source="https://github.com/fwdsync/fwdsync" \
      org.opencontainers.image.documentation="https://github.com/fwdsync/fwdsync/tree/main/docs" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$SOURCE_COMMIT" \
      org.opencontainers.image.created="$CREATED"
