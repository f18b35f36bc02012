/*
 * A file system with the devices and counter files of a node whose figures are known: FUSE 3.
 *
 *   cpu/N/msr         8 bytes at the offset that is the register's number, as msr(4) answers
 *   powercap_energy   energy_uj of a package, mode 0400
 *   cray/NAME         power, energy, freshness, generation, startup of Cray's pm_counters
 *   ipmi0             the IPMI device, mode 0600: see bmc.h
 *
 * Package 0 takes 100 W, its memory 20 W, the node 300 W, from the moment it is mounted. The energy
 * unit is 2^-24 J, so 32 bits wrap every 2.56 s. CPUs run at 3 GHz of 2 GHz. A word in the control
 * file breaks something while it goes on: "eio 0x619" the register, "offline 1" the CPU.
 *
 *   register_fs MOUNTPOINT CONTROL_FILE CPUS
 */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bmc.h"

static double started;
static const char *control;
static int cpus;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - started;
}

/* What the control file says of a word: its number, or -1. */
static long broken(const char *word) {
  char name[16];
  char number[32];
  long found = -1;
  FILE *file = fopen(control, "r");
  if (file == NULL) return -1;
  while (fscanf(file, "%15s %31s", name, number) == 2)
    if (strcmp(name, word) == 0) found = strtol(number, NULL, 0);
  fclose(file);
  return found;
}

static uint32_t joules(double watts) {
  return (uint32_t)(uint64_t)(watts * seconds() * 16777216.0);
}

static int msr(uint64_t number, uint64_t *value) {
  if (broken("eio") == (long)number) return -EIO;
  switch (number) {
    case 0x10: *value = (uint64_t)(2e9 * seconds()); return 0;
    case 0xce: *value = 20 << 8; return 0;
    case 0xe7: *value = (uint64_t)(2e9 * seconds()); return 0;
    case 0xe8: *value = (uint64_t)(3e9 * seconds()); return 0;
    case 0x606: *value = 0xa1803; return 0;
    case 0x611: *value = joules(100); return 0;
    case 0x619: *value = joules(20); return 0;
    default: return -EIO;
  }
}

static int cpu_of(const char *path) {
  int cpu = -1;
  int end = 0;
  if (sscanf(path, "/cpu/%d/msr%n", &cpu, &end) != 1 || end == 0 || path[end] != 0) return -1;
  return cpu >= 0 && cpu < cpus ? cpu : -1;
}

static const char *const CRAY[] = {"power", "energy", "freshness", "generation", "startup", NULL};

/* Text of a counter file, or 0. */
static size_t text_of(const char *path, char *text, size_t size) {
  double t = seconds();
  long stamp = (long)(t * 1e6) + 1700000000000000;
  /* The controller publishes ten times a second. */
  double published = (double)(long)(t * 10) / 10;
  int n = 0;
  if (strcmp(path, "/powercap_energy") == 0)
    n = snprintf(text, size, "%llu\n", (unsigned long long)(t * 100e6) % 262143328851ull);
  else if (strcmp(path, "/cray/power") == 0) n = snprintf(text, size, "300 W %ld us\n", stamp);
  else if (strcmp(path, "/cray/energy") == 0)
    n = snprintf(text, size, "%ld J %ld us\n", 1000 + (long)(published * 300), stamp);
  else if (strcmp(path, "/cray/freshness") == 0) n = snprintf(text, size, "%ld\n", (long)(t * 10));
  else if (strcmp(path, "/cray/generation") == 0) n = snprintf(text, size, "7\n");
  else if (strcmp(path, "/cray/startup") == 0) n = snprintf(text, size, "1700000000\n");
  return (size_t)n;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *file) {
  (void)file;
  int cpu = -1;
  int end = 0;
  char text[128];
  memset(st, 0, sizeof *st);
  st->st_nlink = 1;
  if (strcmp(path, "/") == 0 || strcmp(path, "/cpu") == 0 || strcmp(path, "/cray") == 0 ||
      (sscanf(path, "/cpu/%d%n", &cpu, &end) == 1 && path[end] == 0 && cpu < cpus)) {
    st->st_mode = S_IFDIR | 0755;
  } else if (cpu_of(path) >= 0 || strcmp(path, "/ipmi0") == 0) {
    st->st_mode = S_IFREG | 0600;
  } else if (text_of(path, text, sizeof text) > 0) {
    st->st_mode = S_IFREG | (strcmp(path, "/powercap_energy") == 0 ? 0400 : 0444);
    st->st_size = 4096;
  } else {
    return -ENOENT;
  }
  return 0;
}

static int fs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                      struct fuse_file_info *file, enum fuse_readdir_flags flags) {
  (void)offset, (void)file, (void)flags;
  char name[16];
  if (strcmp(path, "/") == 0) {
    fill(buffer, "cpu", NULL, 0, 0);
    fill(buffer, "cray", NULL, 0, 0);
    fill(buffer, "powercap_energy", NULL, 0, 0);
    fill(buffer, "ipmi0", NULL, 0, 0);
  } else if (strcmp(path, "/cpu") == 0) {
    for (int i = 0; i < cpus; i++) {
      snprintf(name, sizeof name, "%d", i);
      fill(buffer, name, NULL, 0, 0);
    }
  } else if (strcmp(path, "/cray") == 0) {
    for (int i = 0; CRAY[i] != NULL; i++) fill(buffer, CRAY[i], NULL, 0, 0);
  } else {
    fill(buffer, "msr", NULL, 0, 0);
  }
  return 0;
}

static int fs_open(const char *path, struct fuse_file_info *file) {
  int cpu = cpu_of(path);
  if (cpu >= 0 && broken("offline") == cpu) return -ENXIO;
  if (strcmp(path, "/ipmi0") == 0) {
    if (broken("bmc_gone") > 0) return -ENODEV;
    file->fh = (uint64_t)(uintptr_t)calloc(1, sizeof(struct bmc_user));
    if (file->fh == 0) return -ENOMEM;
  }
  /* Every read reaches us, with its own offset and length. */
  file->direct_io = 1;
  return 0;
}

static struct bmc_user *user_of(const char *path, struct fuse_file_info *file) {
  return strcmp(path, "/ipmi0") == 0 ? (struct bmc_user *)(uintptr_t)file->fh : NULL;
}

static int fs_release(const char *path, struct fuse_file_info *file) {
  free(user_of(path, file));
  return 0;
}

static int fs_ioctl(const char *path, int cmd, void *arg, struct fuse_file_info *file,
                    unsigned flags, void *data) {
  struct bmc_user *user = user_of(path, file);
  (void)flags;
  return user == NULL ? -ENOTTY : bmc_ioctl(user, (unsigned)cmd, arg, data);
}

static int fs_poll(const char *path, struct fuse_file_info *file, struct fuse_pollhandle *handle,
                   unsigned *events) {
  struct bmc_user *user = user_of(path, file);
  if (user != NULL) {
    *events = bmc_poll(user, handle);
    return 0;
  }
  /* ENOSYS would turn poll(2) off for all files at once. */
  if (handle != NULL) fuse_pollhandle_destroy(handle);
  *events = POLLIN;
  return 0;
}

static int fs_read(const char *path, char *buffer, size_t size, off_t offset,
                   struct fuse_file_info *file) {
  (void)file;
  int cpu = cpu_of(path);
  if (strcmp(path, "/ipmi0") == 0) return -EINVAL;
  if (cpu < 0) {
    char text[128];
    size_t length = text_of(path, text, sizeof text);
    if ((size_t)offset >= length) return 0;
    if (size > length - (size_t)offset) size = length - (size_t)offset;
    memcpy(buffer, text + offset, size);
    return (int)size;
  }
  if (size % 8 != 0) return -EINVAL;
  if (broken("offline") == cpu) return -ENXIO;
  uint64_t value;
  int status = msr((uint64_t)offset, &value);
  if (status != 0) return status;
  for (size_t i = 0; i < size; i += 8) memcpy(buffer + i, &value, 8);
  return (int)size;
}

static const struct fuse_operations OPERATIONS = {
    .getattr = fs_getattr, .readdir = fs_readdir, .open = fs_open, .read = fs_read,
    .release = fs_release, .ioctl = fs_ioctl, .poll = fs_poll};

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  control = argv[2];
  cpus = atoi(argv[3]);
  started = 0;
  started = seconds();
  char *args[] = {argv[0], "-f", "-s", "-o", "allow_other,default_permissions", argv[1], NULL};
  return fuse_main(6, args, &OPERATIONS, NULL);
}
