package fabric

import (
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// hashKinds are the hash functions of switches by name: all but polynomials of the user's own.
var hashKinds, hashNames = func() (kinds map[string]hashpath.Kind, names []string) {
	kinds = map[string]hashpath.Kind{}
	for kind := range hashpath.KindToeplitz + 1 {
		if kind != hashpath.KindCRC {
			kinds[kind.String()] = kind
			names = append(names, kind.String())
		}
	}
	return kinds, names
}()

var hashParameters = []params.Definition{
	{Name: "hash", Kind: params.Choice, Default: "xxhash", Section: "network",
		Choices: hashNames,
		Doc:     "hash function by which switches choose among equal paths; switch chips have no xxhash"},
	{Name: "hash.offset", Kind: params.Int, Default: "0", Max: "31", Section: "network",
		Doc: "lowest bit of the hash value that chooses"},
	{Name: "hash.width", Kind: params.Int, Default: "0", Max: "32", Section: "network",
		Doc: "how many bits of the hash value choose; 0: all, 32 at most"},
	{Name: "hash.select", Kind: params.Choice, Default: "modulo",
		Choices: []string{"modulo", "resilient"},
		Section: "network",
		Doc: "how a value chooses: modulo the number of members, or by buckets of which a lost " +
			"member's alone are refilled"},
	{Name: "hash.buckets", Kind: params.Int, Default: "512", Min: "1", Max: "65536",
		Section: "network",
		Doc:     "buckets of a group, where hash.select is resilient"},
}

// hashing returns how the switches of a run hash.
func hashing(values *params.Values) hashpath.Hash {
	h := hashpath.Hash{
		Kind:   hashKinds[values.String("hash")],
		Offset: uint8(values.Int("hash.offset")), Width: uint8(values.Int("hash.width")),
	}
	if values.String("hash.select") == "resilient" {
		h.Select, h.Buckets = hashpath.Resilient, int(values.Int("hash.buckets"))
	}
	return h
}
