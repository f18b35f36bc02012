/*
 * What V8 has made of the program's texts when the executable was made (airgap/pack/code_cache.ts), laid
 * where Deno looks for it: a database in a directory, which has to be a file. Only in the memory file system:
 * of a run beside the session, of a query, which scripts ask for many a small file, in a directory of its own.
 * The runtime removes it when it has read it (src/job/session.ts, src/os/inherited.ts). Without it the texts are compiled
 * as they are needed.
 */
enum { TMPFS_MAGIC = 0x01021994, STATFS_BYTES = 256 };
/* Deno opens a dozen more for its databases, and does not start where there are too few. */
enum { LEAST_FILES = 64 };

/* Deno's directory in `variable`, as DENO_DIR=PATH, inside of another one. 0: it has none. */
static const char *lay_code_cache(const char *outer, u64 cache_at, u64 cache_length, char *variable) {
  u64 limit[2], kind[STATFS_BYTES / 8];
  char path[PATH_BYTES];
  struct text text = text_in(variable, PATH_BYTES);
  if (config.mode != MODE_PACKED || cache_length == 0) return 0;
  get_limit(RLIMIT_FSIZE, limit);
  if (limit[0] < 2 * cache_length) return 0;
  get_limit(RLIMIT_NOFILE, limit);
  if (limit[0] < LEAST_FILES) return 0;
  if (call(SYS_STATFS, (i64)outer, (i64)kind, 0, 0) != 0 || (u32)kind[0] != TMPFS_MAGIC) return 0;
  add(&text, "DENO_DIR=");
  add(&text, outer);
  add(&text, "/deno");
  const char *directory = variable + sizeof "DENO_DIR=" - 1;
  join(path, directory, "/v8_code_cache_v2");
  if (call(SYS_MKDIRAT, AT_FDCWD, (i64)directory, 0700, 0) != 0) return 0;
  if (write_new(path, (const char *)&config + cache_at, cache_length) == 0) return variable;
  call(SYS_UNLINKAT, AT_FDCWD, (i64)path, 0, 0); /* no room */
  call(SYS_UNLINKAT, AT_FDCWD, (i64)directory, AT_REMOVEDIR, 0);
  return 0;
}

/* The same for a query, in a directory of its own, which is in `directory` then. */
static const char *lay_query_cache(char *directory, char *variable) {
  struct text text = text_in(directory, PATH_BYTES);
  if (config.query_cache_length == 0) return 0;
  add(&text, "/dev/shm/joulemark-q-");
  add_number(&text, (u64)call(SYS_GETPID, 0, 0, 0, 0), 10);
  if (call(SYS_MKDIRAT, AT_FDCWD, (i64)directory, 0700, 0) != 0) *directory = 0;
  return *directory ? lay_code_cache(directory, config.query_cache_at, config.query_cache_length, variable) : 0;
}
