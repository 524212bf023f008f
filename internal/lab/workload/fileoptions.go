package workload

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// flowOptions are the fields that may follow the six of a flow, as name=value: what the format of
// the field's simulators cannot express.
var flowOptions = [...]flowOption{
	{"group", setGroup}, {"rate", setRate}, {"stage", setStage},
}

type flowOption struct {
	name string
	set  func(lines *textfile.Reader, f *Flow, value string) error
}

// parseOptions sets what the optional fields of a flow say. Each may stand once.
func parseOptions(lines *textfile.Reader, fields []string, f *Flow) error {
	for i, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		known := slices.IndexFunc(flowOptions[:], func(o flowOption) bool { return o.name == name })
		if known < 0 {
			return lines.Errorf("field %s is none of group=, rate=, stage=", textfile.Quote(field))
		}
		for _, before := range fields[:i] {
			if strings.HasPrefix(before, name+"=") {
				return lines.Errorf("%s= stands twice", name)
			}
		}
		if err := flowOptions[known].set(lines, f, value); err != nil {
			return err
		}
	}
	return nil
}

func setGroup(lines *textfile.Reader, f *Flow, value string) error {
	group := slices.Index(groupNames[:], value)
	if group <= int(GroupAuto) {
		return lines.Errorf(
			"group %s is none of %s", textfile.Quote(value), strings.Join(groupNames[GroupAuto+1:], ", "),
		)
	}
	f.Group = Group(group)
	return nil
}

// setRate reads bits per second, as 5Gbps.
func setRate(lines *textfile.Reader, f *Flow, value string) error {
	rate, err := lines.Quantity("rate", value, textfile.RateUnits)
	if err != nil {
		return err
	}
	if rate == 0 {
		return lines.Errorf("rate is zero")
	}
	f.Rate = sluice.Rate(rate)
	return nil
}

func setStage(lines *textfile.Reader, f *Flow, value string) error {
	stage, err := lines.Uint("stage", value, math.MaxInt32)
	f.Stage = int32(stage)
	return err
}

// appendOptions appends the optional fields that the flow needs.
func appendOptions(line []byte, f *Flow) []byte {
	if f.Group != GroupAuto {
		line = append(append(line, " group="...), f.Group.String()...)
	}
	if f.Rate > 0 {
		line = textfile.AppendQuantity(append(line, " rate="...), int64(f.Rate), textfile.RateUnits)
	}
	if f.Stage > 0 {
		line = strconv.AppendInt(append(line, " stage="...), int64(f.Stage), 10)
	}
	return line
}
