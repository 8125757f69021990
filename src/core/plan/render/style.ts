/** Functions that colour parts of a text, or return it unchanged. Colour never carries meaning alone. */
export interface Style {
  readonly add: (text: string) => string;
  readonly update: (text: string) => string;
  readonly remove: (text: string) => string;
  readonly move: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly good: (text: string) => string;
}
