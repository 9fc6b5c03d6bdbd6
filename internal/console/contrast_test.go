package console

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
)

// consoleColors returns the colors of the design system by name, for light and dark.
func consoleColors(t *testing.T) map[string][2]string {
	t.Helper()
	colors := map[string][2]string{}
	pattern := regexp.MustCompile(`--([\w-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`)
	for _, m := range pattern.FindAllStringSubmatch(consoleSources(t)["static/theme.css"], -1) {
		colors[m[1]] = [2]string{m[2], m[3]}
	}
	return colors
}

// luminance returns the relative luminance of a color in hexadecimal form, as WCAG 2.2 defines it.
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(color, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	channel := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// contrast returns the contrast of two colors, from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// TestConsoleContrast checks the colors of the design system in both themes: text has a contrast of at least 4.5 to 1 on
// every background that it is used on, and the edges of controls and the status dots of at least 3 to 1.
func TestConsoleContrast(t *testing.T) {
	t.Parallel()
	surfaces := []string{"ground", "raised", "sunken", "hover"}
	pairs := []struct {
		least       float64
		front, back []string
	}{
		{4.5, []string{"text", "soft", "accent", "link", "good", "bad", "warn", "info"}, surfaces},
		{4.5, []string{"text"}, []string{"chip", "mention", "accent-tint", "good-tint", "bad-tint", "warn-tint", "info-tint"}},
		{4.5, []string{"soft"}, []string{"chip"}},
		{4.5, []string{"on-accent"}, []string{"accent", "accent-hover"}},
		{4.5, []string{"accent"}, []string{"accent-tint"}},
		{4.5, []string{"good"}, []string{"good-tint"}},
		{4.5, []string{"bad"}, []string{"bad-tint"}},
		{4.5, []string{"warn"}, []string{"warn-tint"}},
		{4.5, []string{"info"}, []string{"info-tint"}},
		{4.5, []string{"on-hue"}, []string{"hue-0", "hue-1", "hue-2", "hue-3", "hue-4", "hue-5", "hue-6", "hue-7"}},
		{3, []string{"edge"}, []string{"ground", "raised", "sunken"}},
	}
	colors := consoleColors(t)
	for theme, name := range []string{"light", "dark"} {
		for _, p := range pairs {
			for _, front := range p.front {
				for _, back := range p.back {
					what := fmt.Sprintf("%s: --%s on --%s", name, front, back)
					f, b := colors[front][theme], colors[back][theme]
					if f == "" || b == "" {
						t.Errorf("%s: theme.css lacks one of them", what)
					} else if got := contrast(t, f, b); got < p.least {
						t.Errorf("%s: contrast %.2f, want at least %.1f", what, got, p.least)
					}
				}
			}
		}
	}
}

// TestConsoleIcons checks that the sprite has every icon that the console names.
func TestConsoleIcons(t *testing.T) {
	t.Parallel()
	sources := consoleSources(t)
	drawn := map[string]bool{}
	for _, m := range regexp.MustCompile(`<symbol id="([\w-]+)"`).FindAllStringSubmatch(sources["static/icons/sprite.svg"], -1) {
		drawn[m[1]] = true
	}
	named := regexp.MustCompile(`<\$\{Icon\} name="([\w-]+)"|\bicon="([\w-]+)"`)
	for path, text := range sources {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if icon := m[1] + m[2]; !drawn[icon] {
				t.Errorf("%s names the icon %q, which the sprite lacks", path, icon)
			}
		}
	}
}
