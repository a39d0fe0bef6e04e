// Short synthesized tones. They need no file, and stay silent if the page may not play sound.
import type { PanelMessage } from "../../src/panel/protocol.ts";

type Sound = Extract<PanelMessage, { type: "sound" }>["sound"];

/** The frequencies of consecutive tones in Hz. */
const tones: Readonly<Record<Sound, readonly number[]>> = {
  question: [660, 880],
  turnEnd: [880, 587],
  failure: [330, 247],
};
const toneSeconds = 0.12;
const peakGain = 0.08;

let context: AudioContext | undefined;

/** Plays a sound. Browsers mute a page until the user has interacted with it. */
export function playSound(sound: Sound): void {
  context ??= new AudioContext();
  const { currentTime } = context;
  tones[sound].forEach((frequency, i) => tone(frequency, currentTime + i * toneSeconds));
}

function tone(frequency: number, start: number): void {
  if (!context) return;
  const source = new OscillatorNode(context, { frequency });
  const volume = new GainNode(context, { gain: 0 });
  // Fade in and out, because a hard edge is heard as a click.
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(peakGain, start + 0.01);
  volume.gain.linearRampToValueAtTime(0, start + toneSeconds);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + toneSeconds);
}
