/*
 * A stand-in for librocm_smi64.so with the same calls, for tests: one module of two devices, and a
 * second module of one. -DOLD lacks the energy counter and the averaged power.
 */
#include <stdint.h>
#include "loud_library.h"

int rsmi_init(uint64_t flags) {
  loud("rsmi_init");
  return flags == 0 ? 0 : 1;
}
int rsmi_shut_down(void) { return 0; }
int rsmi_num_monitor_devices(uint32_t *count) {
  *count = 3;
  return 0;
}
/* Listed in another order than the cards are. */
int rsmi_dev_pci_id_get(uint32_t index, uint64_t *id) {
  static const uint64_t BUS[3] = {0xc1, 0xc6, 0x41};
  *id = BUS[index] << 8;
  return 0;
}
int rsmi_dev_current_socket_power_get(uint32_t index, uint64_t *microwatts) {
  *microwatts = 310000000ull + 1000000ull * index;
  return 0;
}
int rsmi_dev_busy_percent_get(uint32_t index, uint32_t *percent) {
  *percent = 50 + index;
  return 0;
}
int rsmi_dev_temp_metric_get(uint32_t index, uint32_t sensor, int metric, int64_t *millidegrees) {
  *millidegrees = sensor == 0 && metric == 0 ? 45000 + 1000 * (int64_t)index : -1;
  return 0;
}
int rsmi_dev_memory_usage_get(uint32_t index, int type, uint64_t *bytes) {
  *bytes = type == 0 ? 68719476736ull - index : 0;
  return 0;
}
#ifndef OLD
static uint64_t energy[3] = {6000000000ull, 0, 1000};

int rsmi_dev_energy_count_get(uint32_t index, uint64_t *counts, float *unit, uint64_t *stamp) {
  if (index == 1) return 2;
  energy[index] += 65536;
  *counts = energy[index];
  *unit = 15.25f;
  *stamp = 1;
  return 0;
}
int rsmi_dev_power_ave_get(uint32_t index, uint32_t sensor, uint64_t *microwatts) {
  *microwatts = 300000000ull + 1000000ull * index + sensor;
  return 0;
}
int rsmi_dev_power_cap_get(uint32_t index, uint32_t sensor, uint64_t *microwatts) {
  (void)index;
  *microwatts = 560000000ull + sensor;
  return 0;
}
#endif
