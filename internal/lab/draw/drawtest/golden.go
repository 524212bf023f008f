package drawtest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/draw"
)

// Pictures are the same if so few pixels differ by so much: fonts' edges may.
const (
	mostDifferent = 0.002
	noticeable    = 48 // of 255
)

// RequireGolden compares a picture with the picture in a file, as a viewer would: pixel by pixel.
// Where too many differ, it writes the new picture and a picture of the differences, and names
// them. With update it writes the file.
func RequireGolden(t *testing.T, f *draw.Figure, style draw.Style, path string, update bool) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.Write(&b, "png", style))
	if update {
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := png.Decode(bytes.NewReader(kept))
	require.NoError(t, err)
	got, err := png.Decode(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	require.Equal(t, want.Bounds(), got.Bounds(), "another size than %s", path)
	differ, picture := difference(want, got)
	pixels := want.Bounds().Dx() * want.Bounds().Dy()
	if share := float64(differ) / float64(pixels); share > mostDifferent {
		t.Fatalf("%.2f %% of the pixels of %s differ: %s and %s", 100*share, path,
			keep(t, "new-"+filepath.Base(path), got), keep(t, "differ-"+filepath.Base(path), picture))
	}
}

// difference counts the pixels that differ, and returns a picture in which they are red.
func difference(want, got image.Image) (differ int, picture *image.RGBA) {
	picture = image.NewRGBA(want.Bounds())
	for y := want.Bounds().Min.Y; y < want.Bounds().Max.Y; y++ {
		for x := want.Bounds().Min.X; x < want.Bounds().Max.X; x++ {
			a, b := color.GrayModel.Convert(want.At(x, y)), want.At(x, y)
			picture.Set(x, y, color.Gray{Y: 128 + a.(color.Gray).Y/2})
			if distance(b, got.At(x, y)) > noticeable {
				differ++
				picture.Set(x, y, color.RGBA{R: 0xff, A: 0xff})
			}
		}
	}
	return differ, picture
}

// distance is the largest difference of a colour's parts.
func distance(a, b color.Color) (most int) {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
		most = max(most, d, -d)
	}
	return most
}

// keep writes a picture that outlives the test.
func keep(t *testing.T, name string, picture image.Image) string {
	file, err := os.CreateTemp("", fmt.Sprintf("*-%s", name))
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, picture))
	require.NoError(t, file.Close())
	return file.Name()
}
