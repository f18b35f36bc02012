/**
 * The annotation runtime: attributes, the context that begin, set and end change, and snapshots of
 * it. What happens with snapshots is the matter of services, which a channel adds.
 *
 * A mismatch of nesting stops tracking for good, as in Caliper: begin, set and end are ignored from
 * then on, explicit snapshots still work, nothing throws, and `log` holds one message.
 * Truth: the Caliper manual, "Annotation API", and its runtime's own behaviour.
 * @module
 */

import { type Attribute, parsePresets, PROPERTY, SCOPE_MASK } from "./attribute.ts";
import { LAYOUT, readLayouts } from "./blob_layout.ts";
import { isTrue } from "./config_words.ts";
import { type Given, readGiven, typeOfGiven } from "./given.ts";
import { Blackboard } from "./blackboard.ts";
import { globalsOf } from "./globals.ts";
import type {
  EventInfo,
  EventKind,
  FoldedVisits,
  Machine,
  SampledCode,
  Service,
  ServiceFactory,
  ServiceHost,
  Trigger,
} from "./service.ts";
import { movePath, NO_LENGTHS, nodeOfPath, type PathStep } from "./path_step.ts";
import { Snapshot } from "./snapshot.ts";
import { ThreadContext } from "./thread_context.ts";
import { ContextTree, type Meta, NONE } from "./tree.ts";
import { equalValues, reportText, TYPE, type Variant } from "./variant.ts";

/** Clock and run metadata. */
export interface RuntimeOptions {
  /** Monotonic time in nanoseconds. */
  now: () => number;
  /** Global values of each process, which are in its snapshots too. */
  globals: Record<string, Given | Variant>;
  /** Global values of the channel itself, which are in no snapshot. @default none */
  channelGlobals?: Record<string, Given | Variant>;
  /** The channel's, in what it notes. @default "default" */
  name?: string;
  /** Takes finished records of the trace at once. */
  stream?: (record: Snapshot, thread: number) => void;
  machine?: Machine;
  /** Receives each line of the log at once. */
  onLog?: (line: string) => void;
}

/** More entries than this do not fit a snapshot; the rest is dropped. */
const MAX_ENTRIES = 120;
const RUN_METADATA = PROPERTY.global | PROPERTY.unaligned | PROPERTY.skip_events;
const NO_INFO: EventInfo = { info: null, replaces: NONE };

/**
 * Attributes, blackboards and services of a channel, for all threads of its processes.
 *
 * @example
 * ```ts
 * import { Channel } from "joulemark";
 *
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace" });
 * channel.turnTo(channel.addThread());
 * channel.begin("phase", "setup");
 * channel.end("phase");
 * ```
 */
export class AnnotationRuntime {
  /** Nodes and attributes of the channel. */
  readonly tree = new ContextTree();
  /** Messages for people, a line each, as Caliper prints them on stderr. */
  readonly log: string[] = [];

  readonly #config: Record<string, string>;
  readonly #services: Service[] = [];
  readonly #options: RuntimeOptions;
  readonly #threads: ThreadContext[] = [];
  /** Run metadata of the channel itself. */
  readonly #channelGlobals: Blackboard;
  /** Reused from snapshot to snapshot: what is under way, and the context that it takes. */
  readonly #record = new Snapshot();
  readonly #context = new Snapshot();
  readonly #presets: Map<string, number>;
  /** Layouts of attributes' bytes, as JSON. */
  protected readonly layouts: Map<string, string>;
  /** Metadata that programs gave attributes, by name and key. */
  protected readonly metadata = new Map<string, Map<string, Variant>>();
  readonly #defaultScope: number;
  readonly #region: number;
  readonly #isVerbose: boolean;
  readonly #ownStacks: boolean;
  /** Index in `#threads` of the current thread. */
  #thread = 0;
  #current: ThreadContext;

  /**
   * A runtime with a configuration's services.
   *
   * @param config Caliper's variables.
   * @param options Clock in nanoseconds, and run metadata.
   */
  constructor(config: Record<string, string>, options: RuntimeOptions) {
    this.#config = config;
    this.#options = options;
    this.#isVerbose = Number(config.CALI_LOG_VERBOSITY) >= 1;
    this.#ownStacks = isTrue(config.CALI_CALIPER_ATTRIBUTE_STACKS ?? "false");
    this.#current = new ThreadContext(this.tree, options.now(), undefined, this.#ownStacks);
    this.#threads.push(this.#current);
    this.#channelGlobals = new Blackboard(this.tree);
    const say = (line: string) => this.say(line);
    this.#presets = parsePresets(config.CALI_CALIPER_ATTRIBUTE_PROPERTIES ?? "", say);
    this.layouts = readLayouts(config.CALI_CALIPER_ATTRIBUTE_LAYOUTS ?? "", say);
    this.#defaultScope = config.CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE === "process"
      ? PROPERTY.process_scope
      : PROPERTY.thread_scope;
    this.#region = this.make("region", TYPE.string, PROPERTY.nested);
    this.make("loop", TYPE.string, PROPERTY.nested);
    this.make("phase", TYPE.string, PROPERTY.nested | PROPERTY.level_4);
    this.make("comm.region", TYPE.string, PROPERTY.nested | PROPERTY.level_1);
    this.#setGlobals();
    for (const [name, value] of Object.entries(options.channelGlobals ?? {})) {
      this.#setChannelGlobal(name, value);
    }
  }

  /**
   * Adds a service. It receives the attributes that exist already, and all later events.
   *
   * @ignore
   */
  protected addService(factory: ServiceFactory): void {
    const host: ServiceHost = {
      tree: this.tree,
      now: this.#options.now,
      thread: () => this.#thread,
      threadStart: () => this.#current.startNs,
      folds: () => this.#current.folds,
      stream: this.#options.stream,
      machine: this.#options.machine,
      config: (name) => this.#config[name],
      createAttribute: (name, type, properties, meta) => this.make(name, type, properties, meta),
      stackNode: (attribute) => this.#current.board(attribute)?.stackNode(attribute) ?? NONE,
      push: (trigger) => this.#push(trigger),
      setGlobal: (attribute, value) => this.setGlobal(this.tree.nameOf(attribute), value),
      setContext: (attribute, value) => {
        this.#current.board(attribute)?.set(attribute, this.read(attribute, value));
      },
      log: (line) => this.say(line),
      note: (line) => this.note(line),
    };
    this.#services.push(factory(host));
  }

  /**
   * A further thread, with an empty context of its own.
   *
   * @param of A thread of the same process; without one it is the first thread of a new process.
   * @param startNs When it began. @default now
   * @returns Its number, for {@linkcode turnTo}.
   */
  addThread(of?: number, startNs = this.#options.now()): number {
    const process = of === undefined ? undefined : this.#threads[of].process;
    const made = new ThreadContext(this.tree, startNs, process, this.#ownStacks);
    const before = this.#current;
    this.#current = made;
    if (of === undefined) this.#setGlobals();
    this.#current = before;
    return this.#threads.push(made) - 1;
  }

  /** All later calls are for this thread; thread 0 exists from the start. */
  turnTo(thread: number): void {
    this.#thread = thread;
    this.#current = this.#threads[thread];
  }

  /** Text of an attribute's innermost value in the current thread; undefined: it has none. */
  currentText(attribute: number): string | undefined {
    const value = this.#current.board(attribute)?.current(attribute) ??
      this.#channelGlobals.current(attribute);
    return value === null ? undefined : reportText(value.type, value.value);
  }

  /** Time has passed for the current thread. */
  tick(): void {
    for (const service of this.#services) service.tick?.();
  }

  /**
   * A sample of the current thread was taken.
   *
   * @ignore
   */
  sampled(code: SampledCode): void {
    for (const service of this.#services) service.sampled?.(code);
  }

  /** Opens a value of an attribute. A name that is no attribute makes one of the value's type. */
  begin(attribute: Attribute | string, value: Given = true): void {
    this.#begin(this.#find(attribute, value, 0), value);
  }

  /** Replaces the innermost value of an attribute, or opens one. */
  set(attribute: Attribute | string, value: Given): void {
    this.#set(this.#find(attribute, value, PROPERTY.unaligned), value);
  }

  /**
   * Ends the innermost value of an attribute.
   *
   * @param value Must be that value, if given.
   */
  end(attribute: Attribute | string, value?: Given): void {
    const id = typeof attribute === "string" ? this.tree.attributeByName(attribute) : attribute.id;
    // Like Caliper, which logs nothing for an unknown name.
    if (id !== NONE) this.#end(id, value);
  }

  /**
   * Begins or ends a region that a library made.
   *
   * @returns False if no service listens to it.
   */
  libraryRegion(kind: "begin" | "end", name: string): boolean {
    const attribute = this.#adopted(name);
    if (attribute === NONE) return false;
    if (kind === "begin") this.#begin(attribute, name);
    else this.#end(attribute, name);
    return true;
  }

  /**
   * Visits of a region that ended before now, of which only number and time are known.
   *
   * @param isLibrary A library made it: without a service that listens to it nothing happens.
   */
  foldedVisits(name: string, count: number, ns: number, isLibrary = false): void {
    const attribute = isLibrary ? this.#adopted(name) : this.#region;
    if (attribute !== NONE) this.#pushVisits(attribute, name, { count, ns });
  }

  /** All visits of the current thread are folded by path from now on. */
  foldByPath(): void {
    this.#current.fold(this.#options.now());
  }

  /**
   * Records aggregated visits of a path, from outside of all regions, of which only number and time
   * are known.
   *
   * @param steps Its regions, the outermost first. Regions without a listening service are left
   * out; if the last one is left out, its time belongs to the region around it.
   * @ignore
   */
  foldedPath(steps: readonly PathStep[], folded: FoldedVisits): void {
    if (this.#current.stopped) return;
    const board = this.#current.board(this.#region), ns = this.#current.takeBefore();
    if (board === null) return;
    if (ns >= 0) this.foldedPath([], { count: 0, ns, byPath: NO_LENGTHS });
    const last = steps.at(-1), attribute = last === undefined ? NONE : this.#attributeOf(last);
    const attributeOf = (step: PathStep) => this.#attributeOf(step), outer = steps.slice(0, -1);
    // In their order values of the process stand beside the thread's: each is on its own board.
    const isShared = (step: PathStep) =>
      folded.byPath === undefined && this.#current.board(attributeOf(step)) !== board;
    const own = outer.filter((step) => !isShared(step));
    const before = board.swapRegions(nodeOfPath(this.tree, own, attributeOf));
    const restore = this.#share(outer.filter(isShared));
    if (attribute !== NONE) this.#pushVisits(attribute, last!.name, folded);
    else if (folded.byPath !== undefined) {
      const time = { count: 0, ns: folded.ns, byPath: NO_LENGTHS, snapshots: 0 };
      this.#push({ event: null, info: null, replaces: NONE, folded: time });
    }
    restore?.();
    board.swapRegions(before);
  }

  /**
   * Puts values of the process on its board, unless the innermost is there: visits without room may be
   * emitted after its end.
   *
   * @returns Puts back what was there.
   */
  #share(steps: readonly PathStep[]): (() => void) | undefined {
    const attributeOf = (step: PathStep) => this.#attributeOf(step), inner = steps.at(-1);
    if (inner === undefined) return undefined;
    const attribute = attributeOf(inner), board = this.#current.board(attribute);
    if (board === null || board.current(attribute)?.value === inner.name) return undefined;
    const before = board.swapRegions(nodeOfPath(this.tree, steps, attributeOf));
    return () => void board.swapRegions(before);
  }

  /**
   * Visits in what is open now: as many begins around them, if snapshots are counted, then as many ends,
   * which have their time.
   */
  #pushVisits(attribute: number, name: string, folded: FoldedVisits): void {
    const board = this.#current.board(attribute), value = this.read(attribute, name);
    if (this.#current.stopped || board === null) return;
    const { count, byPath } = folded, event = null, isCounted = this.#countsSnapshots;
    const begins = this.#marked("begin", attribute, value);
    if (begins !== null && isCounted && count > 0) {
      const none = { count: 0, ns: 0, byPath: byPath && NO_LENGTHS, snapshots: count };
      this.#push({ event, ...begins, folded: none });
    }
    board.begin(attribute, value);
    const ends = this.#marked("end", attribute, value);
    if (ends !== null) {
      const info = isCounted ? ends : NO_INFO;
      this.#push({ event, ...info, folded: { ...folded, snapshots: isCounted ? count : 1 } });
    }
    board.end(attribute);
  }

  /** Entries that an event adds to its snapshot; null: it makes no snapshot. */
  #marked(kind: EventKind, attribute: number, value: Variant): EventInfo | null {
    for (const service of this.#services) {
      if (service.mark !== undefined) return service.mark(kind, attribute, value);
    }
    return NO_INFO;
  }

  /** Are snapshots counted, and not kept one by one? */
  get #countsSnapshots(): boolean {
    const has = (name: string) => this.#services.some((service) => service.name === name);
    return has("aggregate") && !has("trace");
  }

  /**
   * Moves the current thread from one path to another without an event.
   *
   * @ignore
   */
  moveTo(from: readonly PathStep[], to: readonly PathStep[]): void {
    const board = this.#current.board(this.#region);
    if (this.#current.stopped || board === null) return;
    movePath(board, { from, to }, (step) => this.#attributeOf(step));
  }

  #attributeOf({ name, attribute, isLibrary }: PathStep): number {
    if (isLibrary) return this.#adopted(name);
    if (attribute === "") return this.#region;
    return this.make(attribute, TYPE.string, PROPERTY.nested);
  }

  /** The attribute of a library's region; `NONE`: no service listens to it. */
  #adopted(name: string): number {
    for (const service of this.#services) {
      const attribute = service.adopt?.(name) ?? NONE;
      if (attribute !== NONE) return attribute;
    }
    return NONE;
  }

  /** Takes a snapshot now. @param info Entries beside the context and measurements. */
  protected takeSnapshot(info: Snapshot | null): void {
    this.#push({ event: null, info, replaces: NONE });
  }

  /** Snapshot of the current values; overwritten by the next one. */
  protected measured(): Snapshot {
    return this.#measured({ event: null, info: null, replaces: NONE });
  }

  /** The attribute of a name, made if there is none. */
  protected make(
    name: string,
    type: number,
    properties: number,
    meta: Iterable<Meta> = [],
  ): number {
    const existing = this.tree.attributeByName(name);
    if (existing !== NONE) return existing;
    let bits = this.#presets.get(name) ?? properties;
    if ((bits & PROPERTY.global) !== 0) {
      bits = (bits & ~SCOPE_MASK) | PROPERTY.process_scope | PROPERTY.unaligned;
    }
    if ((bits & SCOPE_MASK) === 0) bits |= this.#defaultScope;
    if ((bits & SCOPE_MASK) === PROPERTY.task_scope) {
      this.say(`${name}: values of an attribute of scope task are not stored, as in Caliper`);
    }
    const layout = this.layouts.get(name), own = this.metadata.get(name) ?? [];
    const all: Meta[] = [...meta];
    for (const [key, { type: keyType, value }] of own) {
      all.push([this.make(key, keyType, PROPERTY.skip_events), keyType, value]);
    }
    if (layout !== undefined) {
      all.push([this.make(LAYOUT, TYPE.string, PROPERTY.skip_events), TYPE.string, layout]);
    }
    const id = this.tree.createAttribute(name, type, bits, all);
    for (const service of this.#services) service.attributeMade?.(id);
    return id;
  }

  #find(attribute: Attribute | string, value: Given, properties: number): number {
    return typeof attribute === "string"
      ? this.make(attribute, typeOfGiven(value), properties)
      : attribute.id;
  }

  #begin(attribute: number, given: Given): void {
    if (this.#current.stopped) return;
    const value = this.read(attribute, given);
    this.#emit("begin", attribute, value);
    this.#current.board(attribute)?.begin(attribute, value);
  }

  #set(attribute: number, given: Given): void {
    if (this.#current.stopped) return;
    const value = this.read(attribute, given);
    this.#emit("set", attribute, value);
    this.#current.board(attribute)?.set(attribute, value);
  }

  #end(attribute: number, expected: Given | undefined): void {
    const board = this.#current.board(attribute);
    if (this.#current.stopped || board === null) return;
    const found = board.check(attribute);
    let current: Variant | null = null;
    if (found.kind === "none") current = board.current(attribute);
    else this.#mismatch(found.kind === "other" ? found.node : NONE, this.tree.nameOf(attribute));
    if (expected !== undefined) {
      const wanted = this.read(attribute, expected);
      if (
        current === null || !equalValues(current.type, current.value, wanted.type, wanted.value)
      ) {
        this.#valueMismatch(attribute, wanted, current);
        return;
      }
    }
    if (current === null) return;
    this.#emit("end", attribute, current);
    board.end(attribute);
  }

  /** @param top The innermost node of the stack, `NONE` if the attribute is not open at all. */
  #mismatch(top: number, name: string): void {
    if (this.#current.stopped) return;
    this.#current.stopped = true;
    const state = top === NONE
      ? "region stack is empty!"
      : `current region is "${this.tree.textOf(top)}".`;
    this.say(`Region stack mismatch: Trying to end "${name}" but ${state}`);
    this.#log("  Ceasing region tracking!");
  }

  #valueMismatch(attribute: number, wanted: Variant, current: Variant | null): void {
    this.#current.stopped = true;
    const name = this.tree.nameOf(attribute);
    const state = current === null
      ? "stack is empty"
      : `current value is ${name}=${reportText(current.type, current.value)}`;
    const text = reportText(wanted.type, wanted.value);
    this.say(`Stack value mismatch: Trying to end ${name}=${text} but ${state}`);
  }

  /** Notes a line for people, in Caliper's form. */
  protected say(line: string): void {
    this.#log(`== CALIPER: ${line}`);
  }

  #log(line: string): void {
    this.log.push(line);
    this.#options.onLog?.(line);
  }

  /**
   * Logs a completed action, if CALI_LOG_VERBOSITY requests it.
   *
   * @param isOwn The line starts with the channel's name.
   * @ignore
   */
  note(line: string, isOwn = true): void {
    if (this.#isVerbose) this.say(isOwn ? `${this.#options.name ?? "default"}: ${line}` : line);
  }

  #emit(kind: EventKind, attribute: number, value: Variant): void {
    if ((this.tree.propertiesOf(attribute) & PROPERTY.skip_events) !== 0) return;
    for (const service of this.#services) service.event?.(kind, attribute, value);
  }

  #push(trigger: Trigger): void {
    const record = this.#measured(trigger);
    for (const service of this.#services) service.take?.(record, trigger);
  }

  /** Context, what the trigger adds, and measurements; overwritten by the next snapshot. */
  #measured(trigger: Trigger): Snapshot {
    const { tree } = this, record = this.#record, context = this.#context;
    context.clear();
    this.#current.snapshot(context);
    record.clear();
    record.append(tree, context, trigger.replaces);
    if (trigger.info !== null) record.append(tree, trigger.info, NONE);
    const { folded } = trigger;
    // Of begins without a time there is nothing but their number; time may be taken back.
    if (folded === undefined || folded.count > 0 || folded.ns !== 0) {
      for (const service of this.#services) service.measure?.(trigger, record);
    }
    record.count = Math.min(record.count, MAX_ENTRIES);
    return record;
  }

  #setGlobals(): void {
    for (const [name, value] of Object.entries(this.#options.globals)) this.setGlobal(name, value);
  }

  /** Run metadata of the current process. */
  protected setGlobal(name: string, given: Given | Variant, type = typeOfGiven(given)): void {
    const attribute = this.make(name, type, RUN_METADATA);
    this.#current.process.set(attribute, this.read(attribute, given));
  }

  /** Run metadata of the channel: in its globals alone. */
  #setChannelGlobal(name: string, given: Given | Variant): void {
    const attribute = this.make(name, typeOfGiven(given), RUN_METADATA);
    this.#channelGlobals.set(attribute, this.read(attribute, given));
  }

  /** Hands over what the services kept, one record after the other. */
  flushServices(emit: (record: Snapshot, thread: number) => void): void {
    const editing = this.#services.filter(({ edit }) => edit !== undefined);
    const edited = (record: Snapshot, thread: number) => {
      return editing.reduce((made, service) => service.edit!(made, thread), record);
    };
    for (const service of this.#services) {
      service.flush?.((record, thread) => emit(edited(record, thread), thread));
    }
  }

  /**
   * Run metadata of all processes.
   *
   * @param of That of this thread's process alone, with that of the channel and its services: those are in the
   *   first thread, which they are made in.
   */
  globals(of?: number): Snapshot {
    const threads = of === undefined ? this.#threads : [this.#threads[0], this.#threads[of]];
    const processes = new Set(threads.map((thread) => thread.process));
    return globalsOf(this.tree, [...processes, this.#channelGlobals]);
  }

  /** A given value in the attribute's type. */
  protected read(attribute: number, given: Given | Variant): Variant {
    return readGiven(this.tree.valueTypeOf(attribute), given);
  }
}
