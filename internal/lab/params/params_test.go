package params_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

var network = []params.Definition{
	{
		Name: "buffer", Kind: params.Bytes, Default: "20MB", Min: "1", Max: "1GiB",
		Doc: "packet memory of a switch",
	},
	{Name: "reaction", Kind: params.Time, Default: "600ns", Doc: "time until a pause takes effect"},
	{Name: "nic", Kind: params.Rate, Default: "100Gbps", Min: "1bps", Doc: "rate of a host"},
	{Name: "classes", Kind: params.Int, Default: "8", Min: "1", Max: "8", Doc: "number of classes"},
	{
		Name: "offset", Kind: params.Int, Default: "-3", Min: "-10", Doc: "a number that may be negative",
	},
	{Name: "ecn", Kind: params.Bool, Default: "off", Doc: "mark packets"},
	{Name: "window", Kind: params.Bytes, Doc: "sender window; by default one BDP"},
}

var protocol = []params.Definition{
	{
		Name: "pfc.alpha", Kind: params.Rational, Default: "1/4", Max: "64",
		Doc: "share of the free buffer",
	},
	{
		Name: "pfc.watchdog", Kind: params.Choice, Default: "off",
		Choices: []string{"off", "drop", "forward", "alert"}, Doc: "what it does",
	},
}

func registry(t testing.TB) *params.Registry {
	t.Helper()
	r, err := params.NewRegistry(network, protocol)
	require.NoError(t, err)
	return r
}

func TestDefaults(t *testing.T) {
	v, err := registry(t).Parse()
	require.NoError(t, err)
	require.Equal(t, 20*sluice.MB, v.Bytes("buffer"))
	require.Equal(t, 600*sluice.Nanosecond, v.Time("reaction"))
	require.Equal(t, 100*sluice.Gbps, v.Rate("nic"))
	require.Equal(t, int64(8), v.Int("classes"))
	require.Equal(t, int64(-3), v.Int("offset"))
	require.False(t, v.Bool("ecn"))
	num, den := v.Rational("pfc.alpha")
	require.Equal(t, [2]int64{1, 4}, [2]int64{num, den})
	require.Equal(t, "off", v.String("pfc.watchdog"))
	require.False(t, v.IsSet("buffer"))
}

func TestDerivedParameterIsZeroUntilSet(t *testing.T) {
	r := registry(t)
	v, err := r.Parse()
	require.NoError(t, err)
	require.Zero(t, v.Bytes("window"))
	require.False(t, v.IsSet("window"))
	v, err = r.Parse("window=63625")
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(63625), v.Bytes("window"))
	require.True(t, v.IsSet("window"))
}

func TestLaterListsOverride(t *testing.T) {
	v, err := registry(t).Parse("buffer=1MB, classes=2", "", " buffer = 2MB ")
	require.NoError(t, err)
	require.Equal(t, 2*sluice.MB, v.Bytes("buffer"))
	require.Equal(t, int64(2), v.Int("classes"))
	require.True(t, v.IsSet("buffer"))
	require.False(t, v.IsSet("nic"))
}

func TestValuesRememberWhatWasSetAndRead(t *testing.T) {
	v, err := registry(t).Parse("buffer=1MB, classes=2", "buffer= 1e6 ,pfc.alpha=2/8")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"buffer": "1e6", "classes": "2", "pfc.alpha": "2/8"}, v.Set())
	require.True(t, v.IsSet("buffer"))
	require.False(t, v.WasRead("buffer"))
	v.Bytes("buffer")
	require.True(t, v.WasRead("buffer"))
	require.False(t, v.WasRead("classes"))
}

func TestErrorsNameParameterValueAndRule(t *testing.T) {
	r := registry(t)
	for _, c := range []struct{ list, want string }{
		{"bufer=1", "parameter bufer=1: unknown parameter; did you mean buffer?"},
		{"alpha=1/2", "parameter alpha=1/2: unknown parameter; did you mean pfc.alpha?"},
		{"Buffer=1", "parameter Buffer=1: unknown parameter; did you mean buffer?"},
		{"nothing.like.it=1", "parameter nothing.like.it=1: unknown parameter"},
		{"mac=1", "parameter mac=1: unknown parameter"}, // shares one letter of nic
		{"buffer", "parameter buffer: must be written name=value"},
		{"buffer=1,buffer=2", "parameter buffer=2: given twice"},
		{"buffer=0", "parameter buffer=0: must be at least 1"},
		{"buffer=2GiB", "parameter buffer=2GiB: must be at most 1GiB"},
		{"buffer=0.3", "parameter buffer=0.3: must be a whole number of bytes"},
		{
			"buffer=20Mib",
			"parameter buffer=20Mib: must be a number of bytes, such as 1460, 16KB or 20MiB (units B, " +
				"KB, MB, GB, KiB, MiB, GiB)",
		},
		{"buffer=1e", "parameter buffer=1e: must be a number of bytes"},
		{"buffer=1e99", "parameter buffer=1e99: must be a number of bytes"},
		{"pfc.alpha=1e0/2", "parameter pfc.alpha=1e0/2: must be a fraction"},
		{"buffer=", "parameter buffer: must be a number of bytes"},
		{"buffer=999999999999GB", "parameter buffer=999999999999GB: is out of the range of 64 bits"},
		{"reaction=5", "parameter reaction=5: must be a time with a unit"},
		{"reaction=-5ns", "parameter reaction=-5ns: must not be negative"},
		{"reaction=0.1ps", "parameter reaction=0.1ps: must be a whole number of picoseconds"},
		{"nic=100", "parameter nic=100: must be a rate with a unit"},
		{"nic=100GB", "parameter nic=100GB: must be a rate with a unit"},
		{"classes=9", "parameter classes=9: must be at most 8"},
		{"classes=1.5", "parameter classes=1.5: must be an integer"},
		{"offset=-11", "parameter offset=-11: must be at least -10"},
		{"ecn=maybe", "parameter ecn=maybe: must be true or false"},
		{"pfc.alpha=half", "parameter pfc.alpha=half: must be a fraction"},
		{"pfc.alpha=1/0", "parameter pfc.alpha=1/0: must have a positive denominator"},
		{
			"pfc.alpha=1/99999999999999999999",
			"parameter pfc.alpha=1/99999999999999999999: is out of the range of 64 bits",
		},
		{
			"pfc.alpha=99999999999999999999/7",
			"parameter pfc.alpha=99999999999999999999/7: is out of the range of 64 bits",
		},
		{"pfc.alpha=1/4/2", "parameter pfc.alpha=1/4/2: must be a fraction"},
		{"pfc.alpha=0.5/2", "parameter pfc.alpha=0.5/2: must be a fraction"},
		{"pfc.alpha=-1/4", "parameter pfc.alpha=-1/4: must not be negative"},
		{"pfc.watchdog=dropp", "parameter pfc.watchdog=dropp: must be one of off, drop, forward, alert"},
	} {
		_, err := r.Parse(c.list)
		require.Error(t, err, c.list)
		require.True(t, strings.HasPrefix(err.Error(), c.want), "%s: got %q", c.list, err)
		var typed *params.Error
		require.ErrorAs(t, err, &typed)
	}
}

func TestAllErrorsAreReported(t *testing.T) {
	_, err := registry(t).Parse("buffer=x,classes=99,ecn=on")
	require.ErrorContains(t, err, "buffer=x")
	require.ErrorContains(t, err, "classes=99")
}

func TestRegistryRefusesBadDefinitions(t *testing.T) {
	for _, c := range []struct {
		definition params.Definition
		want       string
	}{
		{params.Definition{Name: "buffer", Kind: params.Bytes}, "declared twice"},
		{params.Definition{Name: "9x", Kind: params.Bytes}, "name must be"},
		{params.Definition{Name: "a b", Kind: params.Bytes}, "name must be"},
		{params.Definition{Name: "x"}, "unknown Kind(0)"},
		{params.Definition{Name: "x", Kind: params.Choice}, "choices"},
		{params.Definition{Name: "x", Kind: params.Int, Choices: []string{"a"}}, "choices"},
		{params.Definition{Name: "x", Kind: params.List}, "choices"},
		{params.Definition{Name: "x", Kind: params.Bool, Max: "1"}, "no bounds"},
		{params.Definition{Name: "x", Kind: params.Int, Min: "a"}, "bound"},
		{params.Definition{Name: "x", Kind: params.Int, Default: "5", Max: "4"}, "default"},
	} {
		_, err := params.NewRegistry(network, []params.Definition{c.definition})
		require.ErrorContains(t, err, c.want)
	}
}

func TestAccessorsPanicOnProgrammingErrors(t *testing.T) {
	v, err := registry(t).Parse()
	require.NoError(t, err)
	require.PanicsWithValue(t, `params: no parameter "nosuch" is in the definitions of the registry`, func() {
		v.Bytes("nosuch")
	})
	require.PanicsWithValue(t, "params: buffer is of kind bytes, not time", func() {
		v.Time("buffer")
	})
}

func TestValuesDescription(t *testing.T) {
	r := registry(t)
	var got []string
	for _, d := range r.Definitions() {
		got = append(got, d.Name+": "+d.Values())
	}
	require.Equal(t, []string{
		"buffer: bytes, 1 to 1GiB", "reaction: time", "nic: rate, at least 1bps", "classes: int, 1 to 8",
		"offset: int, at least -10", "ecn: bool", "window: bytes", "pfc.alpha: rational, at most 64",
		"pfc.watchdog: off | drop | forward | alert",
	}, got)
}

func ExampleRegistry_Parse() {
	r, err := params.NewRegistry([]params.Definition{
		{Name: "buffer", Kind: params.Bytes, Default: "20MB", Doc: "packet memory of a switch"},
		{Name: "pfc.alpha", Kind: params.Rational, Default: "1/4", Doc: "dynamic threshold"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := r.Parse("buffer=16MiB")
	if err != nil {
		fmt.Println(err)
		return
	}
	num, den := v.Rational("pfc.alpha")
	fmt.Println(v.Bytes("buffer"), num, den)
	_, err = r.Parse("bufer=16MiB")
	fmt.Println(err)
	// Output:
	// 16MiB 1 4
	// parameter bufer=16MiB: unknown parameter; did you mean buffer?
}

func TestList(t *testing.T) {
	r, err := params.NewRegistry([]params.Definition{
		{Name: "who", Kind: params.List, Default: "none", Choices: []string{"none", "some"}},
	})
	require.NoError(t, err)
	require.Equal(t, "list of numbers and none, some", r.Definitions()[0].Values())
	for text, want := range map[string]struct {
		choices []string
		numbers []int64
	}{
		"":               {choices: []string{"none"}},
		"who=some+7 + 8": {[]string{"some"}, []int64{7, 8}},
		"who=0":          {numbers: []int64{0}},
		"who=":           {},
	} {
		v, err := r.Parse(text)
		require.NoError(t, err, text)
		choices, numbers := v.List("who")
		require.Equal(t, want.choices, choices, text)
		require.Equal(t, want.numbers, numbers, text)
	}
	for _, text := range []string{"who=other", "who=-1", "who=some+1.5", "who=99999999999"} {
		_, err := r.Parse(text)
		require.ErrorContains(t, err, "must be numbers and none, some, with plus signs between", text)
	}
}
