/* Names for pointers that sluice.h has const, which Go cannot write: the compiler then compares
 * what Go exports with what sluice.h declares. */
#include "sluice.h"

#include <string.h>

typedef const char sluice_text;
typedef const uint8_t sluice_bytes_in;
typedef const uint16_t sluice_numbers_in;
typedef const sluice_path sluice_path_in;
typedef const sluice_flow sluice_flow_in;
typedef const sluice_cnp sluice_cnp_in;
typedef sluice_packet *const sluice_head;
