/*
 * Stands in for the runtime: lets the application go, then asks the guardian of the processes whose
 * numbers stand in the file "ask" of its directory (its last argument), and leaves the answers in
 * "answers". ASK_QUESTION is P or Z. With ASK_FILE it asks for that file of each, and leaves what it reads there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **arguments) {
  static const char flag[] = "--joulemark-guardian=";
  int socket = -1, numbers[16], asked = 0;
  char packet[256], path[4096];
  const char *directory = getenv("ASK_DIRECTORY"), *name = getenv("ASK_FILE"), *question = getenv("ASK_QUESTION");
  if (name && !*name) name = 0;
  for (int i = 1; i < count; i++)
    if (strncmp(arguments[i], flag, sizeof flag - 1) == 0) socket = atoi(arguments[i] + sizeof flag - 1);
  if (socket < 0 || !directory || !question || send(socket, "G", 1, 0) != 1) return 1;
  for (int tries = 0; asked == 0 && tries < 1000; tries++) {
    usleep(10000);
    snprintf(path, sizeof path, "%s/ask", directory);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    while (asked < 16 && fscanf(file, "%d", &numbers[asked]) == 1) asked++;
    fclose(file);
  }
  snprintf(path, sizeof path, "%s/answers", directory);
  FILE *answers = fopen(path, "w");
  if (!answers) return 1;
  for (int i = 0; i < asked; i++) {
    int size = name ? snprintf(packet, sizeof packet, "O%d %s", numbers[i], name)
                    : snprintf(packet, sizeof packet, "%c%d", *question, numbers[i]);
    if (send(socket, packet, (size_t)size, 0) != size) return 1;
    for (int tries = 0; tries < 1000;) {
      char rights[CMSG_SPACE(sizeof(int))];
      struct iovec content = {packet, sizeof packet - 1};
      struct msghdr message = {0, 0, &content, 1, rights, sizeof rights, 0};
      ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT);
      if (got <= 0) {
        usleep(10000);
        tries++;
        continue;
      }
      packet[got] = 0;
      if (*packet != (name ? 'O' : *question)) continue;
      fprintf(answers, "%s", packet);
      struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
      if (passed) {
        char text[64];
        ssize_t read_bytes = read(*(int *)CMSG_DATA(passed), text, 4);
        fprintf(answers, " %.*s", (int)read_bytes, text);
        close(*(int *)CMSG_DATA(passed));
      }
      fprintf(answers, "\n");
      break;
    }
  }
  return fclose(answers) == 0 ? 0 : 1;
}
