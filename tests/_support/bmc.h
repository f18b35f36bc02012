/*
 * A BMC behind the calls of /dev/ipmi0, for a FUSE server: the node takes 350 W.
 *
 * FUSE hands over the structure of an ioctl(2), by the size and direction that its number tells, and
 * nothing of what the structure points to; the number of IPMICTL_SEND_COMMAND even claims the wrong
 * direction. So all of it is read and written in the caller's memory, as the driver does by
 * copy_from_user. A request that is not DCMI's "Get Power Reading" to the system interface is refused.
 *
 * Words of the control file: "bmc_ms 300" answers late, "bmc_code 0xc1" with a completion code,
 * "bmc_silent 1" never, "bmc_gone 1" as a driver whose BMC is no longer there.
 */
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <linux/ipmi.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BMC_WATTS 350

/* What the control file says of a word: its number, or -1. */
static long broken(const char *word);

/* An open device with one request at most. */
struct bmc_user {
  int waiting;
  long id;
  double due;
};

struct bmc_alarm {
  struct fuse_pollhandle *handle;
  double seconds;
};

static double bmc_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int caller_memory(int writes, const void *at, void *bytes, size_t length) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)fuse_get_context()->pid);
  int fd = open(path, writes ? O_RDWR : O_RDONLY);
  if (fd < 0) return -EFAULT;
  off_t offset = (off_t)(uintptr_t)at;
  ssize_t n = writes ? pwrite(fd, bytes, length, offset) : pread(fd, bytes, length, offset);
  close(fd);
  return n == (ssize_t)length ? 0 : -EFAULT;
}

static int bmc_send(struct bmc_user *user, const void *arg, void *copy) {
  static const unsigned char REQUEST[4] = {0xdc, 1, 0, 0};
  struct ipmi_req r;
  struct ipmi_system_interface_addr to;
  unsigned char data[4];
  if (caller_memory(0, arg, &r, sizeof r) != 0) return -EFAULT;
  /* FUSE copies this back over the caller's structure. */
  memcpy(copy, &r, sizeof r);
  if (r.addr_len != sizeof to || r.msg.data_len != sizeof data) return -EINVAL;
  if (caller_memory(0, r.addr, &to, sizeof to) != 0) return -EFAULT;
  if (caller_memory(0, r.msg.data, data, sizeof data) != 0) return -EFAULT;
  if (to.addr_type != IPMI_SYSTEM_INTERFACE_ADDR_TYPE || to.channel != IPMI_BMC_CHANNEL ||
      to.lun != 0 || r.msg.netfn != 0x2c || r.msg.cmd != 2 ||
      memcmp(data, REQUEST, sizeof data) != 0)
    return -EINVAL;
  long ms = broken("bmc_ms");
  user->waiting = broken("bmc_silent") < 0;
  user->id = r.msgid;
  user->due = bmc_now() + 1e-3 * (double)(ms < 0 ? 20 : ms);
  return 0;
}

static int bmc_receive(struct bmc_user *user, struct ipmi_recv *r) {
  unsigned char data[19] = {0, 0xdc, BMC_WATTS & 0xff, BMC_WATTS >> 8, 100, 0, 0x90, 1, 0, 1};
  struct ipmi_system_interface_addr from = {IPMI_SYSTEM_INTERFACE_ADDR_TYPE, IPMI_BMC_CHANNEL, 0};
  unsigned short length = sizeof data;
  long code = broken("bmc_code");
  if (!user->waiting || bmc_now() < user->due) return -EAGAIN;
  data[14] = 0xe8;
  data[15] = 3;
  data[18] = 0x40;
  if (code > 0) {
    data[0] = (unsigned char)code;
    length = 2;
  }
  if (r->addr_len < sizeof from || r->msg.data_len < length) return -EINVAL;
  if (caller_memory(1, r->addr, &from, sizeof from) != 0) return -EFAULT;
  if (caller_memory(1, r->msg.data, data, length) != 0) return -EFAULT;
  r->recv_type = IPMI_RESPONSE_RECV_TYPE;
  r->addr_len = sizeof from;
  r->msgid = user->id;
  r->msg.netfn = 0x2d;
  r->msg.cmd = 2;
  r->msg.data_len = length;
  user->waiting = 0;
  return 0;
}

static int bmc_ioctl(struct bmc_user *user, unsigned cmd, void *arg, void *data) {
  if (broken("bmc_gone") > 0) return -ENODEV;
  if (cmd == IPMICTL_SEND_COMMAND) return bmc_send(user, arg, data);
  if (cmd == IPMICTL_RECEIVE_MSG_TRUNC) return bmc_receive(user, data);
  return -ENOTTY;
}

static void *bmc_ring(void *argument) {
  struct bmc_alarm *alarm = argument;
  struct timespec t = {(time_t)alarm->seconds, 0};
  t.tv_nsec = (long)(1e9 * (alarm->seconds - (double)t.tv_sec));
  nanosleep(&t, NULL);
  fuse_notify_poll(alarm->handle);
  fuse_pollhandle_destroy(alarm->handle);
  free(alarm);
  return NULL;
}

/* Ready, or wakes whoever sleeps when it will be. */
static unsigned bmc_poll(struct bmc_user *user, struct fuse_pollhandle *handle) {
  double left = user->due - bmc_now();
  int ready = user->waiting && left <= 0;
  pthread_t thread;
  struct bmc_alarm *alarm = NULL;
  if (handle != NULL && user->waiting && !ready) alarm = malloc(sizeof *alarm);
  if (alarm != NULL) {
    alarm->handle = handle;
    alarm->seconds = left;
    if (pthread_create(&thread, NULL, bmc_ring, alarm) == 0) {
      pthread_detach(thread);
      handle = NULL;
    } else {
      free(alarm);
    }
  }
  if (handle != NULL) fuse_pollhandle_destroy(handle);
  return ready ? POLLIN : 0;
}
