/*
 * Marks after it has left what a ring file needs: leaves_room WAY [fork|thread]. Ways: filter (a filter of system calls
 * that ends the process at openat), user (another user), root (another root directory), none.
 */
#include "joulemark.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern int setresuid(uid_t, uid_t, uid_t);
extern int chroot(const char *);

static void visits(const char *name) {
    int i;
    for (i = 0; i < 100; i++) {
        joulemark_begin(name);
        joulemark_end(name);
    }
}

static void *in_thread(void *unused) {
    visits("thread");
    return unused;
}

static int leave(const char *way) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    if (!strcmp(way, "user")) return setresuid(20001, 20001, 20001);
    if (!strcmp(way, "root")) return chroot("/var");
    if (strcmp(way, "filter")) return 0;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
    const char *who = argc > 2 ? argv[2] : "";
    int status = 0;
    if (argc < 2 || leave(argv[1])) return 9;
    if (!strcmp(who, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            visits("child");
            _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0) return 7;
    }
    if (!strcmp(who, "thread")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL)) return 8;
    }
    visits("main");
    return 3;
}
