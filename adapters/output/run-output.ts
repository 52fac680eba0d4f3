import type { Sink } from "../../core/event.ts";
import type { RunReport } from "../../core/run-report.ts";

/** What a run of one task puts on stdout. */
export type RunOutput = {
  readonly sink: Sink;
  /** The run ends without the runtime's last event: it never started, or broke. */
  readonly fail: (report: RunReport) => void;
  /** Nobody reads any more what is written while the task goes on. */
  readonly isAbandoned: () => boolean;
};
