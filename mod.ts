/**
 * joulemark as a library: where the time and the joules went, region by region.
 *
 * Pure parts (topology, tracker, aggregator, formats, queries) take times and values as arguments
 * and touch nothing; `openHost`, `Profile` and `Marker` touch the machine and need permission for
 * FFI with libc. No module does anything on import.
 *
 * @example A program that marks its own regions and writes a report
 * ```ts no-assert
 * import { Profile } from "joulemark";
 *
 * using profile = Profile.open({ report: "app.report", profile: "app" });
 * for (const size of [1e6, 2e6]) {
 *   using _region = profile.region(`sum of ${size}`);
 *   for (let i = 0, sum = 0; i < size; i++) sum += Math.sqrt(i);
 * }
 * const { hosts } = profile.finish();
 * console.log(hosts[0].regions?.map((r) => [r.region, r.fields["runtime (s)"]]));
 * ```
 * @module
 */

// The platform: domains, signals, what a node offers.
export { type Aggregation, AGGREGATIONS } from "./src/core/agg.ts";
export { type Domain, DOMAINS, isDomain, isInside } from "./src/core/machine/domain.ts";
export {
  AccessError,
  type Complaint,
  FormatError,
  type HumanError,
  SourceError,
  UnknownNameError,
  UsageError,
} from "./src/core/errors.ts";
export { type Diagnostic, Diagnostics, type DiagnosticsOptions } from "./src/core/diagnostics.ts";
export type {
  Access,
  CpuidLeaf,
  Host,
  KeptFile,
  Reader,
  ReaderAlias,
  Registers,
} from "./src/core/machine/host.ts";
export type {
  Absence,
  Behavior,
  Lack,
  Needs,
  Offer,
  OfferedSignal,
  Quality,
  SignalFormat,
  SignalProvider,
  SignalReading,
  SignalRow,
  SignalSource,
  Unit,
} from "./src/core/signal.ts";
export {
  type CpuPlace,
  PlatformTopology,
  type RegularTopology,
  type TopologySpec,
} from "./src/core/machine/topology.ts";
export type { Remedy, Risk } from "./src/core/remedy.ts";
export { READERS } from "./src/sources/readers/with_raw.ts";
export type { DerivedSignal } from "./src/sources/signals/derived.ts";
export { HINTS } from "./src/core/hints.ts";
export {
  Batch,
  type NameTable,
  type NativeColumn,
  type ResolvedName,
} from "./src/sources/signals/batch.ts";
export {
  buildCatalogue,
  type Candidate,
  Catalogue as SignalCatalogue,
  type CatalogueEntry,
  type CatalogueOptions,
} from "./src/sources/signals/catalogue.ts";
export { openHost } from "./src/run/session/node.ts";

// Regions: marks in, exact times, counts and CPU states out.
export type {
  AttributeEvent,
  EventReceiver,
  EventSink,
  FoldedEvent,
  PmEvent,
  SpanEvent,
} from "./src/core/events/event.ts";
export { EventRecord } from "./src/core/events/event.ts";
export { EventCalls } from "./src/core/events/event_calls.ts";
export type { MarkKind } from "./src/core/events/event_kinds.ts";
export { KIND } from "./src/core/events/event_kinds.ts";
export type { FoldedStats } from "./src/core/path_stats.ts";
export { regionHash } from "./src/core/hash.ts";
export type { ProcessEnd } from "./src/marks/tracker/process.ts";
export type { SpanTotal } from "./src/marks/tracker/spans.ts";
export type { CpuStates } from "./src/marks/tracker/cpu_states.ts";
export type { TrackedState } from "./src/marks/tracker/tracker_signals.ts";
export { TrackedRun } from "./src/marks/tracker/tracked_run.ts";
export {
  type ProcessSummary,
  RegionTracker,
  type TrackerOptions,
} from "./src/marks/tracker/tracker.ts";

// Aggregation and reports.
export type { Agent, AgentColumn, AgentPlatform } from "./src/core/agent.ts";
export { SampleAggregator } from "./src/energy/totals/sample_aggregator.ts";
export type {
  Nested,
  RegionTotal,
  Report,
  ReportFields,
  ReportHost,
  ReportRegion,
  ReportValue,
} from "./src/core/report.ts";
export { parseReport, stringifyReport } from "./src/formats/report.ts";
export type { LineSink, TraceHeader } from "./src/formats/trace/header.ts";
export {
  parseTrace,
  stringifyTrace,
  type Trace,
  type TraceColumn,
} from "./src/formats/trace/trace.ts";
export { eventLogTo } from "./src/run/outputs/event_log.ts";
export type { Opener, OpenOutput } from "./src/run/outputs/output.ts";
export type { Finding, Severity } from "./src/core/finding.ts";
export {
  Coverage,
  type Known,
  type PartLoss,
  type PartSource,
} from "./src/energy/totals/coverage.ts";
export type { ReportExtras, ReportPlace, RunView } from "./src/run/outputs/run_view.ts";
export { type TraceOptions, traceTo } from "./src/run/outputs/trace.ts";
export { Engine, type EngineOptions } from "./src/run/session/engine.ts";
export type { OrderedEvents } from "./src/marks/tracker/ordered_events.ts";

// Raw stats of a node over time, and their differences.
export {
  parseRawStats,
  type RawLine,
  type RawRecord,
  type RawStats,
  stringifyRawStats,
} from "./src/rawstats/format/rawstats.ts";
export type { RawKey, RawKind, RawSchema } from "./src/rawstats/format/schema.ts";
export type { RawCorrection } from "./src/rawstats/analysis/differ.ts";
export type { RawCorrectionKind } from "./src/rawstats/analysis/judge.ts";
export type { Exact } from "./src/rawstats/analysis/exact.ts";
export {
  type RawDeltaOptions,
  type RawDeltas,
  rawDeltas,
  type RawDeltaSeries,
} from "./src/rawstats/analysis/deltas.ts";

// Energy per step, as pm_mpi_lib logs it.
export {
  parsePmc,
  PMC_VERSIONS,
  type PmcLog,
  type PmcParseOptions,
  type PmcRecord,
  type PmcVersion,
  stringifyPmc,
} from "./src/formats/pmc/pmc.ts";

// Caliper's model.
export { type Attribute, PROPERTY } from "./src/caliper/model/attribute.ts";
export { Annotation } from "./src/caliper/model/annotation.ts";
export { Annotations, type ChannelListener } from "./src/caliper/model/annotations.ts";
export type { Given } from "./src/caliper/model/given.ts";
export type { PlainRecord, PlainValue } from "./src/caliper/model/plain_record.ts";
export { AnnotationRuntime } from "./src/caliper/model/runtime.ts";
export type { EventKind, Machine, MachineValue } from "./src/caliper/model/service.ts";
export { Channel, type ChannelOptions } from "./src/caliper/model/services/channel.ts";
export { Snapshot } from "./src/caliper/model/snapshot.ts";
export { ContextTree, type Meta } from "./src/caliper/model/tree.ts";
export { TYPE, type TypeName, type Value, type Variant } from "./src/caliper/model/variant.ts";
export { type CaliEntry, CaliWriter } from "./src/caliper/stream/cali.ts";
export {
  type CaliContent,
  type CaliInput,
  type CaliRecord,
  query,
  readCali,
} from "./src/caliper/query/library.ts";
export { QueryError } from "./src/caliper/query/query_error.ts";

// Programs in TypeScript: marks for a monitor, or a profile of their own.
export { type Hint, type MarkedRegion, Marker } from "./src/marks/marker/marker.ts";
export { type OpenRegion, Profile, type ProfileOptions } from "./src/run/session/profile.ts";
