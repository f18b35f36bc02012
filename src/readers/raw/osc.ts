/**
 * Requests to Lustre's object servers, per mount, added over its servers: one that disappears makes
 * the sum fall.
 *
 * @module
 */
import { lustreRequests } from "./_lustre.ts";

/** Raw counters of requests to object servers. */
export const osc = lustreRequests(
  "osc",
  "read_bytes,E,U=B write_bytes,E,U=B ost_destroy,E ost_punch,E ost_read,E ost_setattr,E " +
    "ost_statfs,E ost_write,E reqs,E wait,E,U=us",
);
