/*
 * What V8 has made of the program's texts when the executable was made (airgap/pack/code_cache.ts), laid
 * where Deno looks for it: a database in a directory, which has to be a file. Only in the memory file system:
 * of a run beside the session, of a query, which scripts ask for many a small file, in a directory of its own.
 * The runtime removes it when it has read it (src/job/place/session.ts, src/os/inherited.ts). Without it the texts are compiled
 * as they are needed.
 */
enum { TMPFS_MAGIC = 0x01021994, STATFS_BYTES = 256 };
/* Deno opens a dozen more for its databases, and does not start where there are too few. */
enum { LEAST_FILES = 64 };

/* Makes Deno's directory inside of another one, and `variable` DENO_DIR=PATH. 0: it gets none. */
static const char *make_cache_directory(const char *outer, u64 cache_length, char *variable) {
  u64 limit[2], kind[STATFS_BYTES / 8];
  struct text text = text_in(variable, PATH_BYTES);
  if (config.mode != MODE_PACKED || cache_length == 0) return 0;
  get_limit(RLIMIT_FSIZE, limit);
  if (limit[0] < 2 * cache_length) return 0;
  get_limit(RLIMIT_NOFILE, limit);
  if (limit[0] < LEAST_FILES) return 0;
  if (call(SYS_STATFS, (i64)outer, (i64)kind, 0, 0) != 0 || (u32)kind[0] != TMPFS_MAGIC) return 0;
  print(&text, "DENO_DIR=%s/deno", outer);
  const char *directory = variable + sizeof "DENO_DIR=" - 1;
  return call(SYS_MKDIRAT, AT_FDCWD, (i64)directory, 0700, 0) == 0 ? variable : 0;
}

/* Lays it there. It gets its name when it is whole: the runtime may have begun by then, and makes one of its own where
   it finds none. */
static void lay_code_cache(const char *variable, u64 cache_at, u64 cache_length) {
  char path[PATH_BYTES], fresh[PATH_BYTES];
  const char *directory = variable + sizeof "DENO_DIR=" - 1;
  join(path, directory, "/v8_code_cache_v2");
  join(fresh, directory, "/new");
  if (write_new(fresh, (const char *)&config + cache_at, cache_length) == 0)
    call(SYS_RENAMEAT, AT_FDCWD, (i64)fresh, AT_FDCWD, (i64)path);
  else
    call(SYS_UNLINKAT, AT_FDCWD, (i64)fresh, 0, 0); /* no room */
}

/* The same for a query, in a directory of its own, which is in `directory` then. */
static const char *lay_query_cache(char *directory, char *variable) {
  struct text text = text_in(directory, PATH_BYTES);
  if (config.query_cache_length == 0) return 0;
  print(&text, "/dev/shm/joulemark-q-%lu", (u64)call(SYS_GETPID, 0, 0, 0, 0));
  if (call(SYS_MKDIRAT, AT_FDCWD, (i64)directory, 0700, 0) != 0) *directory = 0;
  if (!*directory || !make_cache_directory(directory, config.query_cache_length, variable)) return 0;
  lay_code_cache(variable, config.query_cache_at, config.query_cache_length);
  return variable;
}
