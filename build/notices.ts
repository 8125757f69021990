/** What this reads of an SBOM. */
interface Bom {
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly licenses: readonly { readonly license: { readonly id: string } }[];
    readonly evidence: {
      readonly licenses?: readonly { readonly license: { readonly text: { readonly content: string } } }[];
    };
  }[];
}

/** Renders the names, versions and licences of all packages that are bundled, as the SBOM lists them. */
export function renderNotices(sbom: string): string {
  const { components } = JSON.parse(sbom) as Bom;
  const parts = components.map(({ group, name, version, licenses, evidence }) => {
    const declared = licenses.map(({ license }) => license.id).join(', ');
    const texts = (evidence.licenses ?? []).map(({ license }) =>
      Buffer.from(license.text.content, 'base64').toString().trim(),
    );
    const title = `${group === undefined ? '' : `${group}/`}${name} ${version} (${declared})`;
    return [title, ...texts].join('\n\n');
  });
  return `fwdsync contains these packages, under these licences.\n\n${[...new Set(parts)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
