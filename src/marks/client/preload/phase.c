/*
 * phase.c: phases from what the program prints: `run --phase REGEX`. Before main() standard output
 * becomes a pipe, or a pseudo-terminal where it was a terminal, and a process of its own copies it to
 * where it went: pipe(7), pty(7). Each line that matches begins a phase, at the moment when it was read,
 * and ends the one before. The phases go to the session as the lines of a script do: docs/reference/formats/ring.md.
 *
 * The copier depends on no other process: it reads until all writers have closed, also without the monitor,
 * takes no signals of the terminal, and where the reader has ended it ends too, so that the program sees
 * its broken pipe. Standard error goes the same way where it is the same file, so that their order stays.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "core.h"
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#define VARIABLE "JOULEMARK_PHASES"
/* A line is looked at up to here. */
#define LINE_BYTES 4096
#define NAME_BYTES 255
/* After this long without output it is looked whether the program and the window are as they were. */
#define PATIENCE_MS 250

struct copier {
    int from, to;
    int ready; /* the program waits until this is closed: the session has us then */
    int marks; /* the session's file; -1: nothing is marked */
    int is_terminal;
    pid_t program;
    regex_t regex;
    char line[LINE_BYTES + 1];
    size_t length;
    char phase[NAME_BYTES + 1]; /* the one that is open; empty: none */
};

static void say(struct copier *c, char what, const char *name) {
    char text[NAME_BYTES + 64];
    struct timespec now;
    int n;
    if (c->marks < 0) return;
    clock_gettime(CLOCK_REALTIME, &now);
    n = snprintf(text, sizeof text, "%c %lld.%06ld %s\n", what, (long long)now.tv_sec,
                 now.tv_nsec / 1000, name);
    if (n > 0 && write(c->marks, text, (size_t)n) < 0) return; /* the monitor's loss */
}

static void end_phase(struct copier *c) {
    if (c->phase[0]) say(c, 'e', c->phase);
    c->phase[0] = 0;
}

/* A line is whole: does it begin a phase? Its name is what the first parentheses matched, or all. */
static void look_at_line(struct copier *c) {
    regmatch_t match[2];
    size_t length, i;
    int which;
    c->line[c->length] = 0;
    for (i = 0; i < c->length; i++) {
        if (!c->line[i]) c->line[i] = ' ';
    }
    if (c->length > 0 && c->line[c->length - 1] == '\r') c->line[--c->length] = 0;
    if (regexec(&c->regex, c->line, 2, match, 0) != 0) return;
    which = match[1].rm_so >= 0 ? 1 : 0;
    length = (size_t)(match[which].rm_eo - match[which].rm_so);
    if (length == 0) return;
    end_phase(c);
    if (length > NAME_BYTES) length = NAME_BYTES;
    memcpy(c->phase, c->line + match[which].rm_so, length);
    c->phase[length] = 0;
    for (i = 0; i < length; i++) {
        if ((unsigned char)c->phase[i] < 32) c->phase[i] = ' ';
    }
    say(c, 'b', c->phase);
}

static void look_at(struct copier *c, const char *bytes, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            look_at_line(c);
            c->length = 0;
        } else if (c->length < LINE_BYTES) c->line[c->length++] = bytes[i];
    }
}

/* @returns 0 where the reader is closed. */
static int copy_out(struct copier *c, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t went = write(c->to, bytes, n);
        if (went > 0) {
            bytes += went;
            n -= (size_t)went;
        } else if (went < 0 && errno == EAGAIN) {
            struct pollfd room = {c->to, POLLOUT, 0};
            (void)poll(&room, 1, -1);
        } else if (went < 0 && errno != EINTR) return 0;
    }
    return 1;
}

/* The program is over and a process that it started keeps its output open: no marks from here on, and
   who waits for marking processes does not wait for this. */
static void go_on_without_marks(struct copier *c) {
    end_phase(c);
    close(c->marks);
    c->marks = -1;
    if (fork() > 0) _exit(0);
}

static void copy(struct copier *c) {
    static char bytes[65536];
    struct winsize known, now;
    memset(&known, 0, sizeof known);
    if (c->is_terminal) (void)ioctl(c->to, TIOCGWINSZ, &known);
    for (;;) {
        struct pollfd input = {c->from, POLLIN, 0};
        int ready = poll(&input, 1, PATIENCE_MS);
        ssize_t n;
        if (c->is_terminal && ioctl(c->to, TIOCGWINSZ, &now) == 0 &&
            memcmp(&now, &known, sizeof now) != 0) {
            known = now;
            (void)ioctl(c->from, TIOCSWINSZ, &now);
        }
        if (ready == 0 && c->marks >= 0 && kill(c->program, 0) != 0 && errno == ESRCH)
            go_on_without_marks(c);
        if (ready <= 0) continue;
        n = read(c->from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break; /* EIO from a terminal's other end */
        if (!copy_out(c, bytes, (size_t)n)) break;
        if (c->marks >= 0) look_at(c, bytes, (size_t)n);
    }
    if (c->length > 0 && c->marks >= 0) look_at_line(c);
    end_phase(c);
    _exit(0);
}

/* The two ends: what the program writes to, and what is read. @returns 0: there are none. */
static int make_ends(int terminal, int *program, int *copier) {
    struct termios modes;
    struct winsize window;
    char name[64];
    int ends[2];
    if (!terminal) {
        if (pipe2(ends, JOULEMARK__O_CLOEXEC) != 0) return 0;
        *copier = ends[0];
        *program = ends[1];
        return 1;
    }
    *copier = posix_openpt(O_RDWR | O_NOCTTY | JOULEMARK__O_CLOEXEC);
    if (*copier < 0) return 0;
    if (grantpt(*copier) != 0 || unlockpt(*copier) != 0 ||
        ptsname_r(*copier, name, sizeof name) != 0 ||
        (*program = open(name, O_RDWR | O_NOCTTY | JOULEMARK__O_CLOEXEC)) < 0) {
        close(*copier);
        return 0;
    }
    if (tcgetattr(1, &modes) == 0) {
        /* The terminal behind does what there is to do with line ends. */
        modes.c_oflag &= ~(tcflag_t)OPOST;
        (void)tcsetattr(*program, TCSANOW, &modes);
    }
    if (ioctl(1, TIOCGWINSZ, &window) == 0) (void)ioctl(*program, TIOCSWINSZ, &window);
    return 1;
}

/* The same descriptor, not among the first three. */
static int above(int fd) { return fd < 3 ? fcntl(fd, F_DUPFD, 3) : fd; }

/* All but the three of ours: close_range(2), Linux 5.9, or one by one. */
static void close_others(const struct copier *c) {
    int kept[3] = {c->from, c->to, c->marks}, i, k, fd, first = 3;
    long most = sysconf(_SC_OPEN_MAX);
    if (most <= 0 || most > 65536) most = 65536;
    for (i = 0; i < 3; i++) {
        for (k = i + 1; k < 3; k++) {
            if (kept[k] < kept[i]) fd = kept[i], kept[i] = kept[k], kept[k] = fd;
        }
    }
    for (i = 0; i <= 3; i++) {
        /* Those between one that is kept, or none, and the next. */
        long last = i < 3 ? kept[i] - 1 : -1;
        if (i < 3 && kept[i] < 3) continue;
        if ((i == 3 || last >= first) &&
            joulemark__syscall(436, (long)first, i < 3 ? last : (long)~0u, 0L) != 0) {
            for (fd = first; fd <= (i < 3 ? last : most); fd++) close(fd);
        }
        if (i < 3) first = kept[i] + 1;
    }
}

/* Of the process that begins here. It keeps nothing open that is the program's. */
static void become_copier(struct copier *c, const char *session) {
    char path[512];
    int fd;
    sigset_t all;
    snprintf(path, sizeof path, "%s/%ld.sh", session, (long)getpid());
    c->marks = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | JOULEMARK__O_CLOEXEC, 0600);
    if (c->marks >= 0) c->marks = above(c->marks);
    close(c->ready);
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)setsid();
    (void)prctl(PR_SET_NAME, "joulemark-phase");
    (void)prctl(PR_SET_PDEATHSIG, 0);
    c->from = above(c->from);
    c->to = above(c->to);
    for (fd = 0; fd < 3; fd++) close(fd);
    close_others(c);
    for (fd = 0; fd < 3; fd++) (void)open("/dev/null", O_RDWR);
    /* No directory is kept in use. */
    if (chdir("/") != 0) c->length = 0;
    copy(c);
}

/* Out of the environment itself: shells have an unsetenv() of their own, which is not ready before main(). */
static void forget_variable(void) {
    const size_t length = sizeof VARIABLE - 1;
    char **from = environ, **to = environ;
    for (; from && *from; from++) {
        if (strncmp(*from, VARIABLE, length) != 0 || (*from)[length] != '=') *to++ = *from;
    }
    if (to) *to = NULL;
}

static __attribute__((constructor)) void phase_load(void) {
    static struct copier c;
    const char *text = getenv(VARIABLE), *session = getenv(JOULEMARK__SESSION_VARIABLE);
    struct stat output, error;
    char *copied = text && *text ? strdup(text) : NULL;
    char *folder = session ? strdup(session) : NULL;
    int program, saved = errno, both, ready[2];
    pid_t child;
    char nothing;
    /* The first process alone: its children print to what it has. */
    forget_variable();
    if (!copied || !folder || fstat(1, &output) != 0) goto done;
    if (regcomp(&c.regex, copied, REG_EXTENDED) != 0) goto done;
    both = fstat(2, &error) == 0 && error.st_dev == output.st_dev && error.st_ino == output.st_ino;
    c.is_terminal = isatty(1);
    c.program = getpid();
    if (!make_ends(c.is_terminal, &program, &c.from)) goto free_regex;
    c.to = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (c.to < 0) goto close_ends;
    if (pipe2(ready, JOULEMARK__O_CLOEXEC) != 0) goto close_copy;
    c.ready = ready[1];
    child = fork();
    if (child == 0) {
        /* Twice, so that the program has no child that it does not know. */
        if (fork() != 0) _exit(0);
        close(program);
        close(ready[0]);
        become_copier(&c, folder);
    }
    close(ready[1]);
    if (child > 0) {
        /* Until the copier has closed its end, or is gone. */
        while (read(ready[0], &nothing, 1) < 0 && errno == EINTR) continue;
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
        (void)dup2(program, 1);
        if (both) (void)dup2(program, 2);
    }
    close(ready[0]);
close_copy:
    close(c.to);
close_ends:
    close(c.from);
    close(program);
free_regex:
    regfree(&c.regex);
done:
    free(copied);
    free(folder);
    errno = saved;
}
