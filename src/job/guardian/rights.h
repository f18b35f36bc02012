/*
 * Rights that the executable's file has and its caller has not: capabilities, setcap(8). The kernel says so by
 * AT_SECURE, getauxval(3). They are for counters: here they are taken out of effect before anything is opened,
 * and the runtime has them in effect only while it opens a counter (src/os/confinement/caller_rights.ts). So all that the
 * caller names, by words, variables or the files that he owns, is opened by the caller's own rights.
 */
enum { LINUX_CAPABILITY_VERSION_3 = 0x20080522, SET_ID_BITS = 06000 };

/* For good, capset(2): effective, permitted, inheritable, and their upper halves. */
static void drop_capabilities(void) {
  u32 header[2] = {LINUX_CAPABILITY_VERSION_3, 0}, none[6] = {0, 0, 0, 0, 0, 0};
  call(SYS_CAPSET, (i64)header, (i64)none, 0, 0);
}

/* Permitted, and not in effect. */
static void lower_capabilities(void) {
  u32 header[2] = {LINUX_CAPABILITY_VERSION_3, 0}, sets[6];
  if (call(SYS_CAPGET, (i64)header, (i64)sets, 0, 0) != 0) drop_capabilities();
  sets[0] = sets[3] = 0;
  if (call(SYS_CAPSET, (i64)header, (i64)sets, 0, 0) != 0) drop_capabilities();
}

/* Has the file a bit that makes every caller its owner, or of its group? The command would be so too. */
static int is_set_id(const struct process *process) {
  char stat[256];
  if (auxiliary(process, AT_UID) == auxiliary(process, AT_EUID) &&
      auxiliary(process, AT_GID) == auxiliary(process, AT_EGID))
    return 0;
  return has_stat(AT_FDCWD, "/proc/self/exe", stat, 0) && (*(u32 *)(stat + STAT_MODE) & SET_ID_BITS);
}
