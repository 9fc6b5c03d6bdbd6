package ratelimit

// nearest returns the known name that is the fewest edits away from what was written, or "" when none is close.
func nearest(written string, known []string) string {
	best, least := "", len(written)/3+2
	for _, k := range known {
		if d := distance(written, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the bytes that have to be put in, taken out or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
