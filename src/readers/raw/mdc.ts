/**
 * Requests to Lustre's metadata servers, per mount, added over its servers.
 *
 * @module
 */
import { lustreRequests } from "./_lustre.ts";

/** Raw counters of requests to metadata servers. */
export const mdc = lustreRequests(
  "mdc",
  "ldlm_cancel,E mds_close,E mds_getattr,E mds_getattr_lock,E mds_getxattr,E mds_readpage,E " +
    "mds_statfs,E mds_sync,E reqs,E wait,E,U=us",
);
