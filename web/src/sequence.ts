// The sequence chart of a run as plain geometry: what happens on which lane in which step, and which send belongs to
// which receive. Channels are queues, so the receive takes the message of the oldest send that is still open.

import type { Run } from "./data";
import type { ModelView } from "./model_view";

export interface Arrow {
  channel: number;
  text: string;
  send_step: number; // 0: the message was in the channel from the start
  receive_step: number; // 0: nobody has taken it by the end of the run
  sender: number; // -1: unknown
  receiver: number;
}

export interface Marks {
  lanes: number[]; // the processes that move
  kind: "single" | "together" | "rendezvous" | "send" | "receive" | "repeat";
}

export class SequenceChart {
  readonly arrows: Arrow[] = [];

  constructor(
    private readonly view: ModelView,
    private readonly run: Run,
  ) {
    const open: Arrow[][] = view.model.channels.map((_, c) =>
      view.queue(c, run.initial).map((text) => ({ channel: c, text, send_step: 0, receive_step: 0, sender: -1, receiver: -1 })),
    );
    open.forEach((queue) => this.arrows.push(...queue));
    run.steps.forEach((step, i) => {
      const message = view.model.actions[step.a]?.message;
      if (!message) return;
      const k = i + 1;
      const movers = view.movers(step.a);
      const text = step.m ?? "";
      if (message.kind === "rendezvous") {
        const sender = message.sender ?? movers[0] ?? -1;
        const receiver = message.receiver ?? movers.find((m) => m !== sender) ?? -1;
        this.arrows.push({ channel: message.channel, text, send_step: k, receive_step: k, sender, receiver });
      } else if (message.kind === "send") {
        const arrow = {
          channel: message.channel,
          text,
          send_step: k,
          receive_step: 0,
          sender: message.sender ?? movers[0] ?? -1,
          receiver: -1,
        };
        this.arrows.push(arrow);
        open[message.channel]?.push(arrow);
      } else {
        const receiver = message.receiver ?? movers[0] ?? -1;
        const arrow = open[message.channel]?.shift();
        if (arrow) {
          arrow.receive_step = k;
          arrow.receiver = receiver;
        } else {
          this.arrows.push({ channel: message.channel, text, send_step: 0, receive_step: k, sender: -1, receiver });
        }
      }
    });
  }

  /** What step k draws on the lanes. */
  marks(k: number): Marks {
    const action = this.run.steps[k - 1]?.a ?? -1;
    const lanes = this.view.movers(action);
    if (action < 0) return { lanes, kind: "repeat" };
    const message = this.view.model.actions[action]?.message;
    if (message) return { lanes, kind: message.kind };
    return { lanes, kind: lanes.length > 1 ? "together" : "single" };
  }

  /** The arrows of which a part lies in steps first..last. */
  arrows_in(first: number, last: number): Arrow[] {
    const end = this.run.steps.length + 1;
    return this.arrows.filter((arrow) => {
      if (arrow.send_step === 0) return arrow.receive_step !== 0 && arrow.receive_step >= first && arrow.receive_step <= last;
      const until = arrow.receive_step === 0 ? Math.min(arrow.send_step + 1, end) : arrow.receive_step;
      return arrow.send_step <= last && until >= first;
    });
  }
}

/** "channel: message", or the channel alone when the message has no value. */
export function arrow_label(view: ModelView, arrow: Arrow): string {
  const name = view.model.channels[arrow.channel]?.name ?? `channel ${arrow.channel}`;
  return arrow.text === "" ? name : `${name}: ${arrow.text}`;
}
