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
 * using profile = Profile.open({ report: "/tmp/joulemark-example.report", profile: "example" });
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
export { READERS } from "./src/readers/with_raw.ts";
export type { DerivedSignal } from "./src/signals/derived.ts";
export { HINTS } from "./src/core/hints.ts";
export {
  Batch,
  type NameTable,
  type NativeColumn,
  type ResolvedName,
} from "./src/signals/batch.ts";
export {
  buildCatalogue,
  type Candidate,
  Catalogue as SignalCatalogue,
  type CatalogueEntry,
  type CatalogueOptions,
} from "./src/signals/catalogue.ts";
export { openHost } from "./src/session/node.ts";

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
export type { ProcessEnd } from "./src/regions/process.ts";
export type { SpanTotal } from "./src/regions/spans.ts";
export type { CpuStates } from "./src/regions/cpu_states.ts";
export type { TrackedState } from "./src/regions/tracker_signals.ts";
export { TrackedRun } from "./src/regions/tracked_run.ts";
export {
  type EdgeListener,
  type ProcessSummary,
  RegionTracker,
  type TrackerOptions,
} from "./src/regions/tracker.ts";

// Aggregation and reports.
export type { Agent, AgentColumn, AgentPlatform } from "./src/core/agent.ts";
export { SampleAggregator } from "./src/aggregate/sample_aggregator.ts";
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
export { eventLogTo } from "./src/outputs/event_log.ts";
export type { Opener, OpenOutput } from "./src/outputs/output.ts";
export { Coverage, type Known, type PartLoss, type PartSource } from "./src/aggregate/coverage.ts";
export type { ReportExtras, RunView } from "./src/outputs/run_view.ts";
export { type TraceOptions, traceTo } from "./src/outputs/trace.ts";
export { Engine, type EngineOptions } from "./src/session/engine.ts";
export type { OrderedEvents } from "./src/regions/ordered_events.ts";

// Raw stats of a node over time, and their differences.
export {
  parseRawStats,
  type RawLine,
  type RawRecord,
  type RawStats,
  stringifyRawStats,
} from "./src/formats/rawstats/rawstats.ts";
export type { RawKey, RawKind, RawSchema } from "./src/formats/rawstats/schema.ts";
export type { RawCorrection } from "./src/rawstats/differ.ts";
export type { RawCorrectionKind } from "./src/rawstats/judge.ts";
export type { Exact } from "./src/rawstats/exact.ts";
export {
  type RawDeltaOptions,
  type RawDeltas,
  rawDeltas,
  type RawDeltaSeries,
} from "./src/rawstats/deltas.ts";

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
export { type Attribute, PROPERTY } from "./src/context/attribute.ts";
export { Annotation } from "./src/context/annotation.ts";
export { Annotations, type ChannelListener } from "./src/context/annotations.ts";
export type { Given } from "./src/context/given.ts";
export type { PlainRecord, PlainValue } from "./src/context/plain_record.ts";
export { AnnotationRuntime } from "./src/context/runtime.ts";
export type { EventKind, Machine, MachineValue } from "./src/context/service.ts";
export { Channel, type ChannelOptions } from "./src/context/services/channel.ts";
export { type Shape, Snapshot, type SourceBytes } from "./src/context/snapshot.ts";
export { ContextTree, type Meta } from "./src/context/tree.ts";
export { TYPE, type TypeName, type Value, type Variant } from "./src/context/variant.ts";
export { type CaliEntry, CaliWriter } from "./src/formats/cali/cali.ts";
export {
  type CaliContent,
  type CaliInput,
  type CaliRecord,
  query,
  readCali,
} from "./src/query/library.ts";
export { QueryError } from "./src/query/query_error.ts";

// Programs in TypeScript: marks for a monitor, or a profile of their own.
export { type Hint, type MarkedRegion, Marker } from "./src/marker/marker.ts";
export { type OpenRegion, Profile, type ProfileOptions } from "./src/session/profile.ts";
