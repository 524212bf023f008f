// Package hashpath calculates the onward path of a packet as the switches will choose it: by
// their hash functions, seeds and forwarding tables (Pyrrha, section IV-B).
package hashpath
