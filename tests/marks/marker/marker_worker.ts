/** A worker that marks, for the tests of Marker. */
/// <reference lib="deno.worker" />
import { Marker } from "../../../src/marks/marker/marker.ts";

const marker = Marker.attach();
marker.begin("in the worker");
marker.end("in the worker");
marker.shutdown();
self.postMessage("done");
