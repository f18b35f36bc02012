/**
 * The parts of d3 that the page is made with, with their types.
 * @module
 */
// @ts-types="@types/d3-array"
export { bisectLeft, extent, max, median, min, quantileSorted, sum } from "d3-array";
// @ts-types="@types/d3-axis"
export { axisBottom, axisLeft } from "d3-axis";
// @ts-types="@types/d3-format"
export { format, formatPrefix } from "d3-format";
// @ts-types="@types/d3-hierarchy"
export { hierarchy, type HierarchyRectangularNode, partition } from "d3-hierarchy";
// @ts-types="@types/d3-scale"
export { scaleBand, scaleDiverging, scaleLinear, scaleLog, scaleSequential } from "d3-scale";
// @ts-types="@types/d3-scale-chromatic"
export { interpolateOrRd, interpolateRdBu } from "d3-scale-chromatic";
// @ts-types="@types/d3-selection"
export { select, type Selection } from "d3-selection";
// @ts-types="@types/d3-shape"
export { area, line } from "d3-shape";
