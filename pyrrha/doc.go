// Package pyrrha is congestion-root-based per-hop flow control (Zhang et al.: Analysis of Pyrrha:
// Congestion-Root-Based Flow Control Is Most Cost-Effective to Eliminate Head-of-Line Blocking, IEEE
// Transactions on Networking, 2026).
package pyrrha
