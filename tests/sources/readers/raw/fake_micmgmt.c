/* A management library of Xeon Phi cards with nothing behind it: cards 0, 2 and 5, of which card 2 is
 * of another kind; card 5 answers every other time. Counts what is open. */
#include <stdint.h>
#include <stdlib.h>

struct mic_device { uint32_t card; };
struct mic_devices_list { int count; };
struct mic_core_util { uint32_t card; uint64_t asked; };

static const int cards[] = {0, 2, 5};
static int open_things;

int fake_open_things(void) { return open_things; }

static void *made(size_t size) { open_things++; return calloc(1, size); }
static int gone(void *thing) { open_things--; free(thing); return 0; }

int mic_get_devices(struct mic_devices_list **list) {
  *list = made(sizeof **list);
  (*list)->count = 3;
  return 0;
}
int mic_free_devices(struct mic_devices_list *list) { return gone(list); }
int mic_get_ndevices(struct mic_devices_list *list, int *n) { *n = list->count; return 0; }
int mic_get_device_at_index(struct mic_devices_list *list, int i, int *card) {
  if (i < 0 || i >= list->count) return 11;
  *card = cards[i];
  return 0;
}
int mic_open_device(struct mic_device **device, uint32_t card) {
  *device = made(sizeof **device);
  (*device)->card = card;
  return 0;
}
int mic_close_device(struct mic_device *device) { return gone(device); }
int mic_get_device_type(struct mic_device *device, uint32_t *type) {
  *type = device->card == 2 ? 7 : 1;
  return 0;
}
int mic_alloc_core_util(struct mic_core_util **util) { *util = made(sizeof **util); return 0; }
int mic_free_core_util(struct mic_core_util *util) { return gone(util); }
int mic_update_core_util(struct mic_device *device, struct mic_core_util *util) {
  util->card = device->card;
  util->asked++;
  return device->card == 5 && util->asked % 2 == 0 ? 8 : 0;
}
int mic_get_num_cores(struct mic_core_util *util, uint16_t *n) { *n = 57 + util->card; return 0; }
int mic_get_threads_core(struct mic_core_util *util, uint16_t *n) { (void)util; *n = 4; return 0; }
int mic_get_user_sum(struct mic_core_util *util, uint64_t *v) { *v = 1000 * util->asked; return 0; }
int mic_get_nice_sum(struct mic_core_util *util, uint64_t *v) { (void)util; (void)v; return 5; }
int mic_get_sys_sum(struct mic_core_util *util, uint64_t *v) { *v = 7 + util->card; return 0; }
int mic_get_idle_sum(struct mic_core_util *util, uint64_t *v) {
  *v = (1ull << 40) + util->asked;
  return 0;
}
int mic_get_jiffy_counter(struct mic_core_util *util, uint64_t *v) { *v = 100 * util->asked; return 0; }
