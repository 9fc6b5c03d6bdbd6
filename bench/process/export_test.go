package process

// The parsers of files in /proc.
var (
	ParseStat   = parseStat
	ParseStatus = parseStatus
)
