/*
 * The directory of this user's sessions: PARENT/joulemark-UID, mode 0700, in the first of /dev/shm,
 * /run/user/UID and /tmp where such a directory can be made and has room. UID: the user outside of containers.
 *
 * Another user may take that name first. Then it is PARENT/joulemark-UID.RANDOM: nobody can take a name that
 * he does not know, and nobody can make a directory that belongs to this user. A later process finds
 * it by its owner. Processes of a node that start at the same time may each make one: the one whose file
 * `birth` is the oldest counts, and who made one waits until none older can appear.
 */
enum { PATH_BYTES = 512, OWNER_BYTES = PATH_BYTES + 192 };
#define SETTLE_NS 50000000ul  /* a file has its time so long before others see it, at most */
#define SEARCH_NS 100000000ul /* where others left so many names that it takes longer, the search ends */
#define FIND_NS 1000000000ul

struct base {
  char path[PATH_BYTES];
  i64 error;                  /* why there is none */
  char squatted[OWNER_BYTES]; /* the owner of a usual name; empty: no other user */
};

static int has_stat(i64 fd, const char *path, char stat[256], i64 flags) {
  return call(SYS_FSTATAT, fd, (i64)path, (i64)stat, flags) == 0;
}

/* A real directory of this user, closed to everybody else. */
static int is_private(const char *path) {
  char stat[256];
  if (!has_stat(AT_FDCWD, path, stat, AT_SYMLINK_NOFOLLOW)) return 0;
  u32 mode = *(u32 *)(stat + STAT_MODE);
  return (mode & S_IFMT) == S_IFDIR && (mode & 077) == 0 &&
         *(u32 *)(stat + STAT_UID) == (u32)call(SYS_GETEUID, 0, 0, 0, 0);
}

static i64 make_private(const char *path) {
  i64 made = call(SYS_MKDIRAT, AT_FDCWD, (i64)path, 0700, 0);
  if (made != 0 && made != -EEXIST) return made;
  return is_private(path) ? 0 : -EPERM;
}

static i64 write_new(const char *path, const char *bytes, u64 size) {
  i64 fd = open_at(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return fd;
  i64 error = write_all(fd, bytes, size);
  close_fd(fd);
  if (error != 0) call(SYS_UNLINKAT, AT_FDCWD, (i64)path, 0, 0);
  return error;
}

static void join(char *path, const char *directory, const char *slash_name) {
  struct text text = text_in(path, PATH_BYTES);
  print(&text, "%s%s", directory, slash_name);
}

/* When the file BASE/birth was made, CLOCK_REALTIME; 0: none. It is never changed. */
static u64 birth_of(const char *base) {
  char path[PATH_BYTES], stat[256];
  join(path, base, "/birth");
  if (!is_private(base) || !has_stat(AT_FDCWD, path, stat, AT_SYMLINK_NOFOLLOW)) return 0;
  const u64 *modified = (const u64 *)(stat + STAT_MODIFIED);
  return modified[0] * 1000000000ul + modified[1];
}

static int comes_before(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return (u8)*a < (u8)*b;
}

/* The oldest of PLAIN.RANDOM that is ours. @returns Its birth; 0: there is none. */
static u64 find_further(const char *parent, const char *plain, char *found) {
  char entries[4096] __attribute__((aligned(8))), path[PATH_BYTES];
  const char *name = plain + length(parent) + 1;
  u64 oldest = 0, until = clock_ns(CLOCK_MONOTONIC) + SEARCH_NS;
  i64 fd = open_at(parent, O_RDONLY | O_DIRECTORY, 0), size;
  while (fd >= 0 && (size = call(SYS_GETDENTS64, fd, (i64)entries, sizeof entries, 0)) > 0) {
    for (i64 at = 0; at < size; at += *(u16 *)(entries + at + 16)) {
      const char *entry = entries + at + 19;
      if (!starts(entry, name) || entry[length(name)] != '.') continue;
      join(path, plain, entry + length(name));
      u64 birth = birth_of(path);
      if (!birth || (oldest && (birth > oldest || (birth == oldest && !comes_before(path, found))))) continue;
      oldest = birth;
      copy(found, path, PATH_BYTES);
    }
    if (clock_ns(CLOCK_MONOTONIC) > until) break;
  }
  close_fd(fd);
  return oldest;
}

/* Makes PLAIN.RANDOM. Where the usual name came free meanwhile, another process of ours may have it, and
   this one is taken back. */
static i64 make_further(const char *plain) {
  char made[PATH_BYTES], birth[PATH_BYTES];
  u64 random = 0;
  if (call(SYS_GETRANDOM, (i64)&random, sizeof random, 0, 0) != sizeof random)
    random = clock_ns(CLOCK_MONOTONIC_RAW) << 20 ^ (u64)call(SYS_GETPID, 0, 0, 0, 0);
  struct text text = text_in(made, sizeof made);
  print(&text, "%s.%lx", plain, random);
  i64 error = call(SYS_MKDIRAT, AT_FDCWD, (i64)made, 0700, 0);
  if (error != 0) return error;
  join(birth, made, "/birth");
  error = write_new(birth, "", 0);
  if (error == 0 && !is_private(plain)) return 0;
  call(SYS_UNLINKAT, AT_FDCWD, (i64)birth, 0, 0);
  call(SYS_UNLINKAT, AT_FDCWD, (i64)made, AT_REMOVEDIR, 0);
  return error;
}

/* Which user has a name, and as what. */
static void describe_owner(const char *path, struct text *text) {
  char stat[256];
  if (!has_stat(AT_FDCWD, path, stat, AT_SYMLINK_NOFOLLOW)) return;
  u32 mode = *(u32 *)(stat + STAT_MODE), type = mode & S_IFMT;
  print(text, "cannot use \"%s\": expected a directory that only this user may enter, found a ", path);
  add(text, type == S_IFDIR   ? "directory"
            : type == S_IFLNK ? "link"
            : type == S_IFIFO ? "pipe"
            : type == S_IFREG ? "file"
                              : "device or socket");
  print(text, " of user %lu, mode %lo", (u64)*(u32 *)(stat + STAT_UID), (u64)(mode & 07777));
}

static int base_in(const char *parent, u64 uid, struct base *base) {
  char plain[PATH_BYTES];
  struct text text = text_in(plain, sizeof plain);
  print(&text, "%s/joulemark-%lu", parent, uid);
  int tries = 0;
  for (u64 until = clock_ns(CLOCK_MONOTONIC) + FIND_NS;;) {
    i64 error = make_private(plain);
    u64 birth = find_further(parent, plain, base->path), now = clock_ns(CLOCK_REALTIME);
    if (error == -EPERM && !*base->squatted) {
      text = text_in(base->squatted, sizeof base->squatted);
      describe_owner(plain, &text);
    }
    if (birth && (now > birth + SETTLE_NS || clock_ns(CLOCK_MONOTONIC) > until)) return 1;
    if (birth) {
      sleep_ns(5000000);
    } else if (error == 0) {
      copy(base->path, plain, sizeof plain);
      return 1;
    } else {
      if (error == -EPERM && tries++ < 3) error = make_further(plain);
      if (error == 0) continue;
      base->error = -error;
      return 0;
    }
  }
}

/*
 * This user's number outside of a container without rights: root in there is one user of many, and the
 * name with 0 is another one's. user_namespaces(7): lines of inside, outside, count.
 */
static u64 outer_uid(void) {
  u64 uid = (u64)call(SYS_GETUID, 0, 0, 0, 0), number[3];
  char map[1024];
  if (read_file("/proc/self/uid_map", map, sizeof map) <= 0) return uid;
  for (const char *at = map; *at;) {
    for (int i = 0; i < 3; i++) {
      while (*at == ' ') at++;
      number[i] = read_number(at, 10, &at);
    }
    if (uid >= number[0] && uid - number[0] < number[2]) return number[1] + (uid - number[0]);
    if (*at++ != '\n') return uid;
  }
  return uid;
}

/* In the first of the places, the second, the third. */
enum { PLACES = 3 };
static int find_base(struct base *base, int place) {
  char own[64];
  u64 uid = outer_uid();
  struct text text = text_in(own, sizeof own);
  *base->squatted = 0;
  add(&text, place == 0 ? "/dev/shm" : place == 1 ? "/run/user/" : "/tmp");
  if (place == 1) add_number(&text, uid, 10);
  base->error = ENOENT;
  return base_in(own, uid, base);
}
