//go:build pages

package pages

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hooks/internal/page"
	"hooks/internal/report"
)

var record = flag.Bool("record", false, "write the pictures instead of comparing with them")

// browser is chromium with nothing of a person's and no network.
func browser(t *testing.T, args ...string) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("skipped: chromium, which would draw the page, is not installed")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--hide-scrollbars", "--force-device-scale-factor=1",
		"--host-resolver-rules=MAP * ~NOTFOUND",
		"--user-data-dir=" + t.TempDir()}, args...)...)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
}

// written is the page in a file, by its address.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	now := time.Date(2026, 11, 20, 7, 30, 0, 0, time.UTC)
	html := report.PageHTML(page.Screen{Width: 100, Now: now}, night())
	if err := os.WriteFile(path, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// The page looks as recorded: on a phone, on a tablet in the dark, on a desk.
func TestPictures(t *testing.T) {
	address := written(t)
	for _, c := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"phone", 390, 4300, false}, {"tablet-dark", 820, 3900, true}, {"desk", 1280, 3900, false}} {
		t.Run(c.name, func(t *testing.T) {
			got := filepath.Join(t.TempDir(), "got.png")
			scheme := "--blink-settings=preferredColorScheme=1"
			if c.dark {
				scheme = "--blink-settings=preferredColorScheme=0"
			}
			browser(t, scheme, fmt.Sprintf("--window-size=%d,%d", c.width, c.height),
				"--screenshot="+got, address)
			compare(t, got, filepath.Join("testdata", c.name+".png"))
		})
	}
}

// maxPicture bounds a recorded picture, in bytes.
const maxPicture = 150 << 10

func compare(t *testing.T, got, want string) {
	t.Helper()
	drawn, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if *record {
		drawn = small(t, drawn)
		if len(drawn) > maxPicture {
			t.Errorf("%s has %d bytes", want, len(drawn))
		}
		if err := os.WriteFile(want, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	a, b := decode(t, drawn), decode(t, recorded)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("drawn %v, recorded %v", a.Bounds(), b.Bounds())
	}
	if part := difference(a, b); part > 0.02 {
		kept := filepath.Join(os.TempDir(), filepath.Base(want))
		_ = os.WriteFile(kept, drawn, 0o600)
		t.Errorf("%.1f %% of %s differ; the new picture is %s", 100*part, want, kept)
	}
}

// small is a picture in 256 greys and colours that the page has.
func small(t *testing.T, text []byte) []byte {
	t.Helper()
	drawn := decode(t, text)
	count := map[color.RGBA]int{}
	b := drawn.Bounds()
	coarse := func(x, y int) color.RGBA {
		r, g, bl, _ := drawn.At(x, y).RGBA()
		round := func(v uint32) uint8 { return uint8(min(v>>8+4, 255)) &^ 7 }
		return color.RGBA{round(r), round(g), round(bl), 255}
	}
	var palette color.Palette
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := coarse(x, y)
			if count[c]++; count[c] == 20 && len(palette) < 256 {
				palette = append(palette, c)
			}
		}
	}
	out := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.Set(x, y, coarse(x, y))
		}
	}
	var w bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&w, out); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func decode(t *testing.T, text []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// difference is the part of the pixels that are clearly of another colour.
func difference(a, b image.Image) float64 {
	bounds, n := a.Bounds(), 0
	far := func(x, y uint32) bool { return max(x, y)-min(x, y) > 0x3000 }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			if far(r, r2) || far(g, g2) || far(bl, bl2) {
				n++
			}
		}
	}
	return float64(n) / float64(bounds.Dx()*bounds.Dy())
}

// It prints as a PDF of a few pages.
func TestPrints(t *testing.T) {
	pdf := filepath.Join(t.TempDir(), "page.pdf")
	browser(t, "--no-pdf-header-footer", "--print-to-pdf="+pdf, written(t))
	text, err := os.ReadFile(pdf)
	if err != nil || !bytes.HasPrefix(text, []byte("%PDF-")) {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if pages := bytes.Count(text, []byte("/Type /Page\n")); pages < 1 || pages > 4 {
		t.Errorf("%d pages", pages)
	}
}
