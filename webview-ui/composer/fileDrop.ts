// Files that are dropped anywhere in the panel.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { carriesFiles, fileUris } from "./dropAndPaste.ts";

export interface FileDropOptions {
  onUris(uris: readonly string[]): void;
  onFiles(files: readonly File[]): void;
  /** Dragged data of files whose content is text only. */
  onText(text: string): void;
}

/** Takes the files that are dropped in the panel while the host is connected. */
export class FileDrop implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #options: FileDropOptions;
  #isOver = false;

  constructor(host: ReactiveControllerHost, options: FileDropOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /** Whether files are being dragged over the panel. */
  get isOver(): boolean {
    return this.#isOver;
  }

  hostConnected(): void {
    addEventListener("dragover", this.#dragover);
    addEventListener("dragleave", this.#dragleave);
    addEventListener("drop", this.#drop);
  }

  hostDisconnected(): void {
    removeEventListener("dragover", this.#dragover);
    removeEventListener("dragleave", this.#dragleave);
    removeEventListener("drop", this.#drop);
  }

  #setOver(isOver: boolean): void {
    if (this.#isOver === isOver) return;
    this.#isOver = isOver;
    this.#host.requestUpdate();
  }

  #dragover = (event: DragEvent): void => {
    if (!carriesFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    this.#setOver(true);
  };

  #dragleave = (event: DragEvent): void => {
    // Without a related target, the drag has left the panel.
    if (event.relatedTarget === null) this.#setOver(false);
  };

  #drop = (event: DragEvent): void => {
    const data = event.dataTransfer;
    this.#setOver(false);
    if (!data || !carriesFiles(data)) return;
    event.preventDefault();
    const uris = fileUris(data);
    if (uris.length > 0) this.#options.onUris(uris);
    else if (data.files.length > 0) this.#options.onFiles([...data.files]);
    else this.#options.onText(data.getData("text/plain"));
  };
}
