package sonic

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// platformFacts are a switch of rows.txt, as lines by their first word.
type platformFacts struct {
	name  string
	lines map[string][][]string
	// queueless is how many of the first ports have no lossy queues.
	queueless int
}

// keyed returns the numbers of a row that have names, behind its first words.
func keyed(t *testing.T, row []string) map[string]int {
	numbers := map[string]int{}
	for row = row[4:]; len(row) > 0; row = row[2:] {
		numbers[row[0]] = number32(t, row[1])
	}
	return numbers
}

func readRows(t *testing.T) (all []platformFacts) {
	file, err := os.Open("testdata/rows.txt")
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch {
		case word == "" || word == "#":
		case word == "switch":
			all = append(all, platformFacts{name: rest, lines: map[string][][]string{}})
		default:
			of := all[len(all)-1].lines
			of[word] = append(of[word], strings.Fields(rest))
		}
	}
	return all
}

type entries = map[string]map[string]any

// config is the config_db.json that SONiC makes of the platform's templates and lookup table when
// its ports are up: lossless groups 3 and 4, queues 0-2, 5 and 6 lossy.
func (p *platformFacts) config(t *testing.T) *DB {
	of := p.lines
	port, cables, qosMap := entries{}, map[string]any{}, entries{}
	pools, profiles, groups, queues, lists := entries{}, entries{}, entries{}, entries{}, entries{}
	for _, f := range of["pool"] {
		pools[f[0]] = map[string]any{"type": f[1], "mode": f[2], "size": f[3]}
		if len(f) > 4 {
			pools[f[0]]["xoff"] = f[4]
		}
	}
	for _, f := range of["profile"] {
		profiles[f[0]] = map[string]any{"pool": f[1], "size": f[2], f[3]: f[4]}
	}
	lossless := func(f []string) string { return fmt.Sprintf("pg_lossless_%s_%s_profile", f[0], f[1]) }
	for _, f := range of["group"] {
		profiles[lossless(f)] = map[string]any{
			"pool": "ingress_lossless_pool", "size": f[2], "xon": f[3], "xoff": f[4], "dynamic_th": f[5],
		}
		if len(f) > 6 {
			profiles[lossless(f)]["xon_offset"] = f[6]
		}
	}
	lossyQueue := "egress_lossy_profile"
	if profiles["q_lossy_profile"] != nil {
		lossyQueue = "q_lossy_profile"
	}
	for _, f := range of["ports"] {
		for range number32(t, f[0]) {
			name := fmt.Sprintf("Ethernet%d", 4*len(port))
			port[name] = map[string]any{"speed": f[1]}
			cables[name] = f[2]
			for _, q := range []string{"0-2", "5-6"} {
				if len(port) > p.queueless {
					queues[name+"|"+q] = map[string]any{"profile": lossyQueue}
				}
			}
			queues[name+"|3-4"] = map[string]any{"profile": "egress_lossless_profile"}
			if profiles[lossless(f[1:])] != nil {
				groups[name+"|3-4"] = map[string]any{"profile": lossless(f[1:])}
				qosMap[name] = map[string]any{"pfc_enable": "3,4"}
			}
			if profiles["ingress_lossless_profile"] != nil {
				lists[name] = map[string]any{"profile_list": "ingress_lossless_profile"}
			}
		}
	}
	text, err := json.Marshal(map[string]any{
		"DEVICE_METADATA": entries{"localhost": {
			"platform": of["platform"][0][0], "hwsku": of["platform"][0][1],
		}},
		"PORT": port, "CABLE_LENGTH": entries{"AZURE": cables}, "PORT_QOS_MAP": qosMap,
		"BUFFER_POOL": pools, "BUFFER_PROFILE": profiles, "BUFFER_PG": groups, "BUFFER_QUEUE": queues,
		"BUFFER_PORT_INGRESS_PROFILE_LIST": lists,
	})
	require.NoError(t, err)
	db, err := Parse(text)
	require.NoError(t, err)
	return db
}

func number32(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}
