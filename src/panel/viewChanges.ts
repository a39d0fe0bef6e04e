// The view of the changes that wait for review.

/** The files with changes to review, and the line counts of all of them. */
export interface ViewChanges {
  readonly files: readonly {
    readonly path: string;
    readonly label: string;
    readonly added: number;
    readonly removed: number;
    /** The reason, as a sentence, why the changes cannot be shown. Without `canUndo`, they cannot be undone either. */
    readonly unknown?: string;
    readonly canUndo?: true;
    /** The label of the path that the file had before the agent moved it. */
    readonly movedFrom?: string;
    /** Programs run the file without an action of the user, or with the next build, or agents follow it. */
    readonly runs?: "byItself" | "withBuild" | "byAgents";
    /** The file is outside the workspace folders. */
    readonly isOutside?: true;
  }[];
  readonly added: number;
  readonly removed: number;
}
