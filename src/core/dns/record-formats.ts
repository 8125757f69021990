/** Forms in which DNS records are printed: a zone file, DNSControl's JavaScript, octoDNS's YAML. */
export const RECORD_FORMATS = ['zone', 'dnscontrol', 'octodns'] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];
