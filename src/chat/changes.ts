// What is to be reviewed, as a panel shows it.

/** Files with changes to review, and the lines of all of them. */
export interface ViewChanges {
  readonly files: readonly {
    readonly path: string;
    readonly label: string;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly added: number;
  readonly removed: number;
}
