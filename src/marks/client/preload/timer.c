/*
 * timer.c: samples of functions where the kernel refuses perf_event_open(2). Each thread has a timer of its CPU time,
 * timer_create(2), whose signal copies registers and the top of the stack into a ring of the session:
 * docs/reference/formats/timer-ring.md. Records have the kernel's layout, perf_event_open(2).
 *
 * The handler takes no lock and no memory, and leaves errno alone. A ring belongs to one thread at a time, is made at
 * the thread's first sample, and goes to another thread afterwards. The signal is a real-time one that nobody has. A
 * program that names this very signal gets it, and the timers stop. They stop as well before a program restricts its
 * system calls, since any of ours may end it afterwards.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>

#define VARIABLE "JOULEMARK_TIMER"
#define MAGIC 0x544d4c4au /* "JLMT" */
#define VERSION 1u
#define DATA_BYTES (1u << 18)
#define MAPS_BYTES 57344u
#define MAPS_PAUSE 20 /* mappings, which may be very many, are read again after so many times what that took */
#define TIMERS 8192
#define POOL 64
#define PATH_BYTES 512
/* A thread with a smaller stack is left alone: the kernel puts 3 KiB of registers there, and more for wide vectors. */
#define STACK_LEAST (32u << 10)
#define FRAMES_LEAST 2
/* More of the first thread's stack need not be mapped. */
#define FIRST_STACK_MOST (64ul << 20)
/* The largest copy whose record's size fits 16 bits. */
#define COPY_MOST (65512u - (uint32_t)sizeof(struct sample))
/* Less CPU time of a process without a sample is not worth a ring. */
#define COUNTED_NS 500000u
#define LOCK_SHARED 5L /* LOCK_SH | LOCK_NB, flock(2) */
/* AT_MINSIGSTKSZ of getauxval(3), its value on older kernels, and the most that the handler takes. */
#define SIGNAL_FRAME 51
#if defined(__x86_64__)
#define FRAME_BYTES 3632
#define REGISTERS 17
#define STACK(context) (uintptr_t)(context)->uc_mcontext.gregs[REG_RSP]
#define CODE(context) (uintptr_t)(context)->uc_mcontext.gregs[REG_RIP]
#else
#define FRAME_BYTES 5120
#define REGISTERS 33
#define STACK(context) (uintptr_t)(context)->uc_mcontext.sp
#define CODE(context) (uintptr_t)(context)->uc_mcontext.pc
#endif
#define HANDLER_BYTES 2560
/* Signals from here on are left to the C library and to joulemark's guardian. */
#define SIGNAL_LEAST 42

enum { COMM = 3, READ = 8, SAMPLE = 9, MAPS = 128, COMM_EXEC = 0x2000, USER_64 = 2 };

struct ring {
    uint32_t magic, version;
    uint64_t data_bytes;
    uint64_t pid;
    uint64_t dropped; /* samples without room */
    uint64_t is_stopped; /* 1: the program took the signal, or may be ended by a system call */
    uint64_t padding[3];
    uint64_t head; /* written here */
    uint64_t padding_too[7];
    uint64_t tail; /* written by the monitor */
};

struct record { uint32_t type; uint16_t misc, size; };
struct place { uint32_t pid, tid; uint64_t time; uint32_t cpu, none; };
struct comm { struct record record; uint32_t pid, tid; char name[16]; struct place place; };
struct count { struct record record; uint32_t pid, tid; uint64_t ns; struct place place; };
struct sample {
    struct record record;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, more; /* periods beside the one of this sample */
    uint64_t abi, registers[REGISTERS], stack_bytes;
};
_Static_assert(sizeof(struct sample) == 56 + 8 * REGISTERS && sizeof(struct comm) == 56, "layout");

/* One thread. Those of pthread_create(3) are allocated. */
struct thread {
    void *(*body)(void *);
    void *argument;
    struct ring *ring;
    uintptr_t low, high; /* of its stack */
    uint64_t before_ns; /* its CPU time before this program began */
    uint32_t missed; /* periods since its last sample */
    uint32_t tid;
    int slot; /* of its timer; -1: none */
    int is_known; /* it has a sample */
};

static struct thread first_thread = {NULL, NULL, NULL, 0, 0, 0, 0, 0, -1, 0};
JM_TLS struct thread *self;

static int number; /* of the signal; 0: no sampling */
static uint64_t period_ns;
static uint32_t stack_bytes;
static char directory[PATH_BYTES - 64];
static uint32_t own_pid;
static char process_name[16]; /* of the command, before threads take other ones */
static int is_announced;
static volatile int is_unloaded; /* another library may be in the place of one that was unloaded */
static volatile uint64_t maps_ns; /* from when on the mappings are read again for this */
static size_t head_bytes; /* of a ring: a page, since mappings begin at multiples of it */
static size_t signal_stack_bytes; /* for a stack of signals: the kernel's frame and that of the handler */
static char mark; /* its address is in the signals of our timers */
static pthread_key_t at_end;
static int has_key;
/* Process and number of each timer, and 1; 0: free. Those of a forked child's parent stay. */
static uint64_t timers[TIMERS];
/* Rings of threads that have ended. */
static struct ring *pool[POOL];

#pragma weak pthread_key_create
#pragma weak pthread_setspecific
#pragma weak pthread_getattr_np

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now = {0, 0};
    clock_gettime(clock, &now); /* without a lock */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC_RAW); }

/* ------------------------------------------------------------------ in the handler */

/* What a handler calls is bound before, by timer_load() or as syscall(2): the binder takes locks, and much stack. */
#define CALL(name, ...) joulemark__syscall(SYS_##name, __VA_ARGS__)

static char *map(char *at, size_t bytes, long protection, long flags, long fd, long offset) {
    return (char *)CALL(mmap, at, bytes, protection, flags, fd, offset);
}

static char *add_hex(char *to, uint64_t value) {
    int shift;
    for (shift = 60; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[value >> shift & 15];
    return to;
}

/* A ring whose data are mapped twice, one behind the other, so that no record is in two pieces. The children of a
   fork have none of it: they would write where their parent writes. */
static struct ring *make_ring(void) {
    const size_t once = head_bytes + DATA_BYTES, all = once + DATA_BYTES;
    const long both = PROT_READ | PROT_WRITE, shared = MAP_SHARED | MAP_FIXED;
    char name[34], *base, *const none = (char *)MAP_FAILED;
    struct rlimit size = {0, 0};
    struct ring *ring;
    long place = CALL(openat, (long)AT_FDCWD, directory, (long)(O_RDONLY | O_DIRECTORY | JOULEMARK__O_CLOEXEC));
    int fd, is_mapped;
    *add_hex(name, own_pid) = '.';
    *add_hex(name + 17, now_ns()) = 0;
    /* A file above the limit ends the program by SIGXFSZ. The monitor has a lock of the directory as long as it lives:
       without it nobody would remove the ring. */
    CALL(prlimit64, 0L, (long)RLIMIT_FSIZE, NULL, &size);
    fd = place < 0 || size.rlim_cur < once || CALL(flock, place, LOCK_SHARED) == 0
             ? -1
             : (int)CALL(openat, place, name,
                         (long)(O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | JOULEMARK__O_CLOEXEC), 0600L);
    if (fd < 0 && place >= 0) CALL(close, place);
    if (fd < 0) return NULL;
    /* Allocated now: a full disk would end the program later. The lock ends with the mapping, and tells the monitor. */
    base = CALL(fallocate, (long)fd, 0L, 0L, (long)once) != 0 || CALL(flock, (long)fd, LOCK_SHARED) != 0
               ? none
               : map(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    is_mapped = base != none && map(base, once, both, shared, fd, 0) != none &&
                map(base + once, DATA_BYTES, both, shared, fd, (long)head_bytes) != none &&
                CALL(madvise, base, all, (long)MADV_DONTFORK) == 0;
    CALL(close, (long)fd);
    if (!is_mapped) {
        if (base != none) CALL(munmap, base, all);
        CALL(unlinkat, place, name, 0L);
    }
    CALL(close, place);
    if (!is_mapped) return NULL;
    ring = (struct ring *)base;
    ring->data_bytes = DATA_BYTES;
    ring->pid = own_pid;
    ring->version = VERSION;
    __atomic_store_n(&ring->magic, MAGIC, __ATOMIC_RELEASE);
    return ring;
}

static struct ring *take_ring(void) {
    int i;
    for (i = 0; i < POOL; i++) {
        struct ring *ring = __atomic_load_n(&pool[i], __ATOMIC_RELAXED) == NULL
                                ? NULL
                                : __atomic_exchange_n(&pool[i], NULL, __ATOMIC_ACQ_REL);
        if (ring) return ring;
    }
    return make_ring();
}

/* Room for a record; NULL: there is none. */
static void *room(struct ring *ring, uint64_t bytes) {
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
    uint64_t used = head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    if (used > DATA_BYTES || DATA_BYTES - used < bytes) return NULL;
    return (char *)ring + head_bytes + head % DATA_BYTES;
}

static void put(struct ring *ring, struct record *record, uint32_t type, uint32_t misc, uint64_t bytes) {
    record->type = type;
    record->misc = (uint16_t)misc;
    record->size = (uint16_t)bytes;
    __atomic_store_n(&ring->head, ring->head + bytes, __ATOMIC_RELEASE);
}

/* The mappings of the process as proc_pid_maps(5) has them, without the last ones where they are many. @returns 0:
   there is no room. */
static int put_maps(struct ring *ring, struct place place) {
    struct comm *start = (struct comm *)room(ring, 24 + MAPS_BYTES + sizeof place);
    char *text = start ? start->name : NULL;
    size_t length = 0;
    long fd = start ? CALL(openat, (long)AT_FDCWD, "/proc/self/maps", (long)(O_RDONLY | JOULEMARK__O_CLOEXEC)) : -1;
    if (fd < 0) return start != NULL;
    while (length < MAPS_BYTES) {
        long n = CALL(read, fd, text + length, MAPS_BYTES - length);
        if (n <= 0) break;
        length += (size_t)n;
    }
    CALL(close, fd);
    do text[length++] = 0; while (length % 8 != 0);
    start->pid = place.pid;
    start->tid = place.tid;
    memcpy(text + length, &place, sizeof place);
    put(ring, &start->record, MAPS, 0, 16 + length + sizeof place);
    return 1;
}

static void put_name(struct ring *ring, struct place place, const char *name, uint32_t misc) {
    struct comm *comm = (struct comm *)room(ring, sizeof *comm);
    if (!comm) return;
    memcpy(comm->name, name, sizeof comm->name);
    comm->pid = place.pid;
    comm->tid = place.tid;
    comm->place = place;
    put(ring, &comm->record, COMM, misc, sizeof *comm);
}

/* What the monitor must know of the thread, and of the process if it is the first. */
static void announce(struct ring *ring, uint32_t tid, uint64_t time) {
    struct place place = {own_pid, tid, time, 0, 0};
    char name[16] = "";
    if (!__atomic_exchange_n(&is_announced, 1, __ATOMIC_ACQ_REL)) {
        put_name(ring, place, process_name, COMM_EXEC);
        put_maps(ring, place);
    }
    if (CALL(prctl, (long)PR_GET_NAME, name, 0L, 0L, 0L) == 0) put_name(ring, place, name, 0);
}

static int has_ring(struct thread *t, uint64_t time) {
    if (!t->ring && !(t->ring = take_ring())) return 0;
    if (!t->is_known) announce(t->ring, t->tid, time);
    t->is_known = 1;
    return 1;
}

/* The top of the stack. @returns Bytes that were copied. */
static uint64_t copy_stack(const struct thread *t, uintptr_t stack, uint64_t *to, uint64_t bytes) {
    struct iovec local = {to, bytes}, remote = {(void *)stack, bytes};
    long got;
    if (stack >= t->low && stack < t->high) {
        const volatile uint64_t *from = (const volatile uint64_t *)stack;
        uint64_t i;
        /* Not memcpy(3): AddressSanitizer has one that ends the program where it reads between variables. */
        for (i = 0; i < bytes / 8; i++) to[i] = from[i];
        return bytes;
    }
    /* Another stack may end anywhere: this copy stops there. */
    got = CALL(process_vm_readv, (long)own_pid, &local, 1L, &remote, 1L, 0L);
    return got > 0 ? (uint64_t)got & ~7ul : 0;
}

/* Registers in the order of the kernel's samples. */
static void copy_registers(const ucontext_t *context, uint64_t *to) {
    int i;
#if defined(__x86_64__)
    static const uint8_t order[REGISTERS] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                             REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
                                             REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (i = 0; i < REGISTERS; i++) to[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
#else
    for (i = 0; i < 31; i++) to[i] = context->uc_mcontext.regs[i];
    to[i++] = STACK(context);
    to[i] = CODE(context);
#endif
}

static void take_sample(struct thread *t, uint32_t overrun, const ucontext_t *context) {
    uintptr_t stack = STACK(context);
    uint64_t time = now_ns(), bytes = stack_bytes, copied, size, is_cut = 0;
    struct sample *sample;
    if (!has_ring(t, time)) return;
    if (is_unloaded && time >= maps_ns) {
        struct place place = {own_pid, t->tid, time, 0, 0};
        uint64_t end;
        is_unloaded = 0;
        if (!put_maps(t->ring, place)) is_unloaded = 1;
        end = now_ns();
        maps_ns = end + MAPS_PAUSE * (end - time);
    }
    if (stack >= t->low && stack < t->high && t->high - stack < bytes) {
        bytes = (t->high - stack) & ~7ul;
        is_cut = 8;
    }
    /* The kernel gives more room than it fills where a stack ends: so does this. */
    sample = (struct sample *)room(t->ring, sizeof *sample + bytes + 16);
    if (!sample) {
        t->missed += 1 + overrun;
        __atomic_fetch_add(&t->ring->dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    copied = copy_stack(t, stack, (uint64_t *)(sample + 1), bytes);
    if (copied < bytes) is_cut = 8;
    sample->ip = (uint64_t)CODE(context);
    sample->pid = own_pid;
    sample->tid = t->tid;
    sample->time = time;
    sample->cpu = (uint32_t)sched_getcpu(); /* no system call: programs may allow few of them */
    sample->more = overrun + t->missed;
    sample->abi = USER_64;
    copy_registers(context, sample->registers);
    sample->stack_bytes = copied + is_cut;
    size = sizeof *sample + copied + is_cut;
    memcpy((char *)sample + size, &copied, 8);
    t->missed = 0;
    put(t->ring, &sample->record, SAMPLE, 2 /* user mode */, size + 8);
}

/* A signal that somebody else sent does what it does to a program without a handler. */
static void on_signal(int signal, siginfo_t *info, void *context) {
    int saved = errno;
    struct thread *t = self;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &mark) {
        if (t) take_sample(t, (uint32_t)info->si_overrun, (const ucontext_t *)context);
    } else {
        uint64_t action[4] = {0, 0, 0, 0}; /* the kernel's: SIG_DFL */
        CALL(rt_sigaction, (long)signal, action, NULL, 8L);
        CALL(tgkill, (long)own_pid, CALL(gettid, 0L), (long)signal);
    }
    errno = saved;
}

/* ------------------------------------------------------------------ threads */

static void end_timer(int slot) {
    uint64_t timer = __atomic_exchange_n(&timers[slot], 0, __ATOMIC_ACQ_REL);
    if (timer >> 32 == own_pid) CALL(timer_delete, (long)(uint32_t)timer - 1);
}

static void begin_thread(struct thread *t) {
    uint32_t tid = (uint32_t)CALL(gettid, 0L), at = tid % TIMERS;
    struct sigevent event;
    struct itimerspec times;
    uint64_t mixed = (now_ns() ^ (uint64_t)tid << 32) * 0x9e3779b97f4a7c15u;
    uint64_t none;
    int timer, tries;
    t->slot = -1;
    t->tid = tid;
    self = t;
    if (t->high - t->low < STACK_LEAST || t->high - t->low < FRAMES_LEAST * signal_stack_bytes) return;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event.sigev_value.sival_ptr = &mark;
    event._sigev_un._tid = (int)tid;
    if (CALL(timer_create, (long)CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    for (tries = 0; tries < TIMERS; tries++, at = (at + 1) % TIMERS) {
        none = 0;
        if (__atomic_compare_exchange_n(&timers[at], &none, (uint64_t)own_pid << 32 | ((uint32_t)timer + 1), 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) break;
    }
    if (tries == TIMERS) {
        CALL(timer_delete, (long)timer);
        return;
    }
    t->slot = (int)at;
    /* A first period of any length: threads that are shorter than one are sampled as often as others. */
    mixed = (mixed ^ mixed >> 32) % period_ns + 1;
    times.it_interval.tv_sec = (time_t)(period_ns / 1000000000u);
    times.it_interval.tv_nsec = (long)(period_ns % 1000000000u);
    times.it_value.tv_sec = (time_t)(mixed / 1000000000u);
    times.it_value.tv_nsec = (long)(mixed % 1000000000u);
    CALL(timer_settime, (long)timer, 0L, &times, NULL);
}

/* The CPU time of a thread that ends: signals of timers come at ticks of the kernel, the rest is not in the samples. */
static void put_count(struct thread *t) {
    uint64_t time = now_ns(), ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->before_ns;
    struct place place = {own_pid, t->tid, time, 0, 0};
    struct count *count;
    if (t == &first_thread && !t->ring && ns < COUNTED_NS) return;
    /* The name of a thread without samples is of no use. */
    t->is_known |= is_announced;
    if (!has_ring(t, time)) return;
    count = (struct count *)room(t->ring, sizeof *count);
    if (!count) return;
    count->pid = place.pid;
    count->tid = place.tid;
    count->ns = ns;
    count->place = place;
    put(t->ring, &count->record, READ, 0, sizeof *count);
}

static void end_thread(void *data) {
    struct thread *t = (struct thread *)data;
    struct ring *ring;
    int i;
    if (t->slot >= 0) end_timer(t->slot);
    self = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (t->slot >= 0 && number) put_count(t);
    ring = t->ring;
    for (i = 0; ring && i < POOL; i++) {
        struct ring *none = NULL;
        if (__atomic_compare_exchange_n(&pool[i], &none, ring, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ring = NULL;
    }
    if (ring) munmap(ring, head_bytes + 2 * (size_t)DATA_BYTES);
    free(t);
}

static __attribute__((noinline)) void prepare(struct thread *t) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
            t->low = (uintptr_t)low;
            t->high = t->low + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    if (pthread_setspecific(at_end, t) == 0) begin_thread(t);
}

/* These end in jumps, so that no frame of theirs is in the stacks. */
static void *started(void *data) {
    struct thread *t = (struct thread *)data;
    prepare(t);
    return t->body(t->argument);
}
static int started_c11(void *data) {
    struct thread *t = (struct thread *)data;
    prepare(t);
    return ((int (*)(void *))(uintptr_t)t->body)(t->argument);
}

/* NULL: the thread begins without a timer. */
static struct thread *new_thread(uintptr_t body, void *argument) {
    struct thread *t = number && has_key ? (struct thread *)calloc(1, sizeof *t) : NULL;
    if (!t) return NULL;
    t->body = (void *(*)(void *))body;
    t->argument = argument;
    return t;
}

JM_EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*body)(void *),
                             void *argument) {
    JM_REAL(pthread_create, NULL);
    struct thread *t = real ? new_thread((uintptr_t)body, argument) : NULL;
    int failed = !real ? EAGAIN : t ? real(id, attributes, started, t) : real(id, attributes, body, argument);
    if (failed) free(t);
    return failed;
}

/* threads.h, which older systems lack. */
JM_EXPORT int thrd_create(pthread_t *id, int (*body)(void *), void *argument) {
    JM_REAL(thrd_create, NULL);
    struct thread *t = real ? new_thread((uintptr_t)body, argument) : NULL;
    int failed = !real ? 2 /* thrd_error */ : t ? real(id, started_c11, t) : real(id, body, argument);
    if (failed) free(t);
    return failed;
}

/* Timers and rings are the parent's. */
static void in_child(void) {
    struct thread *t = self;
    if (!number) return;
    own_pid = (uint32_t)getpid();
    is_announced = 0;
    memset(pool, 0, sizeof pool);
    if (!t) return;
    if (t->slot >= 0) timers[t->slot] = 0;
    t->ring = NULL;
    t->missed = 0;
    t->is_known = 0;
    t->before_ns = 0;
    begin_thread(t);
}

/* The process ends in this thread: the others have no count. A child of vfork(2) has its parent's memory. */
static void end_process(void) {
    struct thread *t = self;
    if (!number || !t || t->slot < 0 || (uint32_t)getpid() != own_pid) return;
    end_timer(t->slot);
    t->slot = -1;
    self = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    put_count(t);
}

static __attribute__((destructor)) void timer_unload(void) { end_process(); }

JM_EXPORT __attribute__((noreturn)) void _exit(int status) {
    end_process();
    for (;;) CALL(exit_group, (long)status);
}
JM_EXPORT __attribute__((noreturn)) void _Exit(int status) { _exit(status); }

JM_EXPORT int dlclose(void *handle) {
    JM_REAL(dlclose, NULL);
    int result = real ? real(handle) : -1;
    is_unloaded = 1;
    return result;
}

/* A signal's frame must fit on the stack that the program has for signals, or it would end the program. */
JM_EXPORT int sigaltstack(const stack_t *stack, stack_t *old) {
    JM_REAL(sigaltstack, NULL);
    struct thread *t = self;
    int is_small = stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < signal_stack_bytes, result;
    if (!real) return -1;
    if (is_small && number && t && t->slot >= 0) {
        end_timer(t->slot);
        t->slot = -1;
    }
    result = real(stack, old);
    if (result == 0 && stack && !is_small && number && t && t->slot < 0) begin_thread(t);
    return result;
}

/* ------------------------------------------------------------------ the signal */

/* No more samples: the signal has its default action from here on, and none is pending. */
static void stop(void) {
    struct sigaction action;
    struct thread *t = self;
    long signal = number;
    int i;
    /* A child of vfork(2) has its parent's memory. */
    if ((uint32_t)getpid() != own_pid) return;
    number = 0;
    if (t && has_ring(t, now_ns())) t->ring->is_stopped = 1;
    for (i = 0; i < TIMERS; i++) {
        if (timers[i]) end_timer(i);
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    CALL(rt_sigaction, signal, &action, NULL, 8L);
    action.sa_handler = SIG_DFL;
    CALL(rt_sigaction, signal, &action, NULL, 8L);
}

/* A set without the signal where it is one of all signals. A set that names it stops the timers. */
static const sigset_t *others(const sigset_t *set, sigset_t *into) {
    if (!number || !set || sigismember(set, number) != 1) return set;
    if (sigismember(set, number - 1) == 1 && sigismember(set, number + 1) == 1) {
        *into = *set;
        sigdelset(into, number);
        return into;
    }
    stop();
    return set;
}

#define WITH_SET(type, failed, name, types, arguments)                                             \
    JM_EXPORT type name types {                                                                    \
        JM_REAL(name, NULL);                                                                       \
        sigset_t copy;                                                                             \
        return real ? real arguments : (failed);                                                   \
    }
WITH_SET(int, ENOSYS, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old),
         (how, others(set, &copy), old))
WITH_SET(int, -1, sigprocmask, (int how, const sigset_t *set, sigset_t *old),
         (how, others(set, &copy), old))
WITH_SET(int, ENOSYS, sigwait, (const sigset_t *set, int *signal), (others(set, &copy), signal))
WITH_SET(int, -1, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (others(set, &copy), info))
WITH_SET(int, -1, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time),
         (others(set, &copy), info, time))
WITH_SET(int, -1, signalfd, (int fd, const sigset_t *set, int flags),
         (fd, others(set, &copy), flags))

JM_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    JM_REAL(sigaction, NULL);
    if (number && signal == number) {
        if (action && action->sa_handler != SIG_DFL) stop();
        else {
            if (old) memset(old, 0, sizeof *old);
            return 0;
        }
    }
    return real ? real(signal, action, old) : -1;
}

JM_EXPORT __sighandler_t signal(int which, __sighandler_t handler) {
    JM_REAL(signal, NULL);
    if (number && which == number) {
        if (handler == SIG_DFL) return SIG_DFL;
        stop();
    }
    return real ? real(which, handler) : SIG_ERR;
}

/* Libraries for filters, and programs that are not root's, come here before they call seccomp(2). */
static void *real_prctl;
JM_EXPORT int prctl(int option, ...) {
    __typeof__(&prctl) real = (__typeof__(&prctl))jm_next(&real_prctl, "prctl", NULL);
    unsigned long words[4];
    va_list more;
    int i;
    va_start(more, option);
    for (i = 0; i < 4; i++) words[i] = va_arg(more, unsigned long);
    va_end(more);
    if (number && (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)) stop();
    return real ? real(option, words[0], words[1], words[2], words[3]) : -1;
}

/* A signal that has its default action and is not blocked; 0: there is none. Java takes SIGRTMAX - 2. */
static int free_signal(void) {
    sigset_t blocked;
    int n;
    sigemptyset(&blocked);
    if (CALL(rt_sigprocmask, (long)SIG_BLOCK, NULL, &blocked, 8L) != 0) return 0;
    for (n = SIGRTMAX - 5; n >= SIGNAL_LEAST; n--) {
        struct sigaction action;
        int (*real)(int, const struct sigaction *, struct sigaction *) =
            (int (*)(int, const struct sigaction *, struct sigaction *))jm_find_next("sigaction", NULL);
        if (sigismember(&blocked, n) == 0 && real && real(n, NULL, &action) == 0 &&
            action.sa_handler == SIG_DFL) return n;
    }
    return 0;
}

/* Calls what the handler calls, and what handlers and forked children of the program may call. */
static void bind_now(const char *text) {
    static char copy[PATH_BYTES];
    size_t length = strlen(text);
    memcpy(copy, text, length < sizeof copy ? length : sizeof copy);
    memset(copy, 0, length < sizeof copy ? length : sizeof copy);
    (void)sched_getcpu();
    (void)now_ns();
    (void)pthread_sigmask(SIG_BLOCK, NULL, NULL);
    (void)sigprocmask(SIG_BLOCK, NULL, NULL);
    (void)sigaltstack(NULL, NULL);
    (void)signal(number, SIG_DFL);
}

static __attribute__((constructor)) void timer_load(void) {
    const char *text = getenv(VARIABLE), *session = getenv(JOULEMARK__SESSION_VARIABLE);
    int saved = errno, n;
    struct rlimit limit;
    /* Now: a forked child calls it, where looking for it might wait for a lock of the parent's threads. */
    (void)jm_next(&real_prctl, "prctl", NULL);
    struct sigaction action;
    char *end;
    void **stack_end;
    size_t frame = getauxval(SIGNAL_FRAME);
    if (!text || !session || strlen(session) >= sizeof directory - 8) return;
    period_ns = strtoull(text, &end, 10);
    stack_bytes = (uint32_t)strtoul(end, NULL, 10) & ~7u;
    if (stack_bytes > COPY_MOST) stack_bytes = COPY_MOST & ~7u;
    snprintf(directory, sizeof directory, "%s/timer", session);
    stack_end = (void **)dlsym(RTLD_DEFAULT, "__libc_stack_end");
    if (period_ns == 0 || stack_bytes == 0 || !stack_end || access(directory, W_OK) != 0) goto done;
    n = free_signal();
    if (n == 0) goto done;
    own_pid = (uint32_t)getpid();
    head_bytes = (size_t)sysconf(_SC_PAGESIZE);
    signal_stack_bytes = (frame ? frame : FRAME_BYTES) + HANDLER_BYTES;
    prctl(PR_GET_NAME, process_name, 0, 0, 0);
    first_thread.high = (uintptr_t)*stack_end;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > FIRST_STACK_MOST)
        limit.rlim_cur = FIRST_STACK_MOST;
    first_thread.low = first_thread.high - limit.rlim_cur;
    first_thread.before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    if (sigaction(n, &action, NULL) != 0) goto done;
    has_key = pthread_key_create && pthread_key_create(&at_end, end_thread) == 0;
    number = n;
    bind_now(session);
    if (joulemark__register_atfork) joulemark__register_atfork(NULL, NULL, in_child, NULL);
    begin_thread(&first_thread);
done:
    errno = saved;
}
#endif
