package pages

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

// compared is a comparison that another file of the repository keeps, or a test makes.
type compared struct{ What, Link, Result, Command string }

// elsewhere returns the comparisons that belong to no scenario, with the counts of their files. A
// comparison whose file is not there is left out.
func elsewhere(dir string) (all []compared, err error) {
	add := func(file, what, command string, count func(text string) (string, error)) {
		content, readErr := os.ReadFile(filepath.Join(dir, "../..", file))
		if errors.Is(readErr, os.ErrNotExist) {
			return
		}
		result, countErr := count(string(content))
		if countErr != nil {
			countErr = fmt.Errorf("%s: %w", file, countErr)
		}
		err = errors.Join(err, errors.Join(readErr, countErr))
		all = append(all, compared{what, "../../" + file, result, command})
	}
	said := func(result string) func(string) (string, error) {
		return func(string) (string, error) { return result, nil }
	}
	const papers = "internal/lab/papers/"
	add(papers+"general/testdata/golden/hosts.txt",
		"mean FCT of groups of flows under congestion controls, in the ns-3 of Pyrrha's authors and of HPCC",
		"go test ./"+papers+"general -run OtherSimulators", countRatios)
	add(papers+"tcd/testdata/tcd-ns3/README.md", "marks and states in the ns-3 of TCD's first author",
		"go test ./"+papers+"tcd -run Simulator", said("within the bounds of the test"))
	add(papers+"pcn/testdata/pcn-ns3/README.md", "queues and rates in the ns-3 of PCN's authors",
		"go test ./"+papers+"pcn -run Simulator", said("within the bounds of the test"))
	add("examples/ns3/README.md", "completion times with the same machines in ns-3 and in our simulator",
		"cd examples/ns3 && make && go test ./compare", said("all equal to the picosecond"))
	add("examples/htsim/RESULTS.md",
		"our flow control in htsim, beside its own lossless queues and our simulator",
		"make -C examples/htsim HTSIM=DIRECTORY results", countEqual)
	add("examples/astra-sim/RESULTS.md",
		"ASTRA-sim's examples over our simulator, beside its analytical backend",
		"make -C examples/astra-sim ASTRA=DIRECTORY results", countExamples)
	add("docs/headroom-platforms.csv", "headroom of public SONiC platforms, beside three bounds",
		"go run ./pfc/sonic/cmd/sluice-headroom compare summary", countHeadrooms)
	return all, err
}

// countRatios counts verdicts on the last column of a table, ours over theirs.
func countRatios(text string) (string, error) {
	counts := map[run.Verdict]int{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		ratio, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil {
			continue // the heading
		}
		theirs := run.Exactly(1)
		f := run.Finding{Measured: run.Number(ratio), Published: &theirs}
		counts[f.Verdict()]++
	}
	return countedVerdicts(counts)
}

func countedVerdicts(counts map[run.Verdict]int) (string, error) {
	var words []string
	for _, v := range []run.Verdict{run.Near, run.Twice, run.Differs} {
		if counts[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	if len(words) == 0 {
		return "", errors.New("there is no row")
	}
	return strings.Join(words, ", "), nil
}

// countEqual adds up the flows that take as long in htsim, in the rows about PFC where the order of
// events at an instant and the senders are alike.
func countEqual(text string) (string, error) {
	equal, all := 0, 0
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !(strings.HasPrefix(line, "| and arrivals") ||
			strings.HasPrefix(line, "| half of the hosts")) {
			continue
		}
		var n, of int
		if _, err := fmt.Sscanf(cells[2], " %d of %d", &n, &of); err != nil {
			return "", fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
		equal, all = equal+n, all+of
	}
	if all == 0 {
		return "", errors.New("there is no row of equal flows")
	}
	return fmt.Sprintf("%d of %d equal to the nanosecond under PFC where senders and ties are alike",
		equal, all), nil
}

// countExamples counts the examples of ASTRA-sim, in the first table, whose ratio is within 1 %: of
// the run with the cause of the difference removed, if there is one.
func countExamples(text string) (string, error) {
	_, table, _ := strings.Cut(text, "| ---")
	near, all := 0, 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if strings.TrimSpace(line) == "" {
			break
		}
		if !strings.HasPrefix(line, "| ") || len(cells) < 8 {
			continue
		}
		plain, removed := strings.TrimSpace(cells[5]), strings.TrimSpace(cells[7])
		ratio, err := strconv.ParseFloat(cmp.Or(removed, plain), 64)
		if err != nil {
			return "", err
		}
		all++
		if ratio > 0.99 && ratio < 1.01 {
			near++
		}
	}
	if all == 0 {
		return "", errors.New("there is no example")
	}
	return fmt.Sprintf("%d of %d within 1 %%, with what two differ by removed", near, all), nil
}

// countHeadrooms sums the columns of the table of platforms.
func countHeadrooms(text string) (string, error) {
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(table) < 2 {
		return "", errors.Join(err, errors.New("there is no table of platforms"))
	}
	var sums []int
	for _, name := range []string{"rows", "below_A", "above_C"} {
		column, sum := slices.Index(table[0], name), 0
		if column < 0 {
			return "", fmt.Errorf("the table of platforms has no column %s", name)
		}
		for _, row := range table[1:] {
			n, _ := strconv.Atoi(row[column]) // empty where the cell is not known
			sum += n
		}
		sums = append(sums, sum)
	}
	return fmt.Sprintf("%s, %s: %d below the mildest, %d above the strictest",
		show.Plural(len(table)-1, "platform"), show.Plural(sums[0], "row"), sums[1], sums[2]), nil
}
