package fabric

import (
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// hashParameters are how switches choose among equal paths: by all functions but polynomials of the
// user's own.
func hashParameters(h *hashpath.Hash) []params.Field {
	return params.In("network",
		params.Bind("hash", &h.Kind, "xxhash",
			"hash function by which switches choose among equal paths; switch chips have no xxhash").
			But(hashpath.KindCRC.String()),
		params.Bind("hash.offset", &h.Offset, "0",
			"lowest bit of the hash value that chooses").As("Offset"),
		params.Bind("hash.width", &h.Width, "0",
			"how many bits of the hash value choose; 0: all, 32 at most").As("Width"),
		params.Bind("hash.select", &h.Select, "modulo",
			"how a value chooses: modulo the number of members, or by buckets of which a lost "+
				"member's alone are refilled"),
	)
}

func bucketsParameter(h *hashpath.Hash) []params.Field {
	return params.In("network", params.Bind("hash.buckets", &h.Buckets, "512",
		"buckets of a group, where hash.select is resilient").Range("1", "65536"))
}

// hashing returns how the switches of a run hash, and the parameters that say so.
func hashing(values *params.Values) (hashpath.Hash, []params.Field) {
	var h hashpath.Hash
	fields := hashParameters(&h)
	values.Fill(fields)
	if h.Select == hashpath.Resilient {
		values.Fill(bucketsParameter(&h))
	}
	return h, fields
}
