// Package pfc is priority-based flow control, IEEE 802.1Qbb, as a shared-buffer switch does it.
package pfc
