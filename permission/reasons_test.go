package permission_test

// The reasons and levels of decisions.
const (
	outsideGuild       = "outside of guilds"
	isAdministrator    = "administrator"
	entryAllows        = "allowed by an entry"
	defaultAllows      = "allowed by default"
	wrongType          = "wrong type"
	ageRestricted      = "age-restricted"
	wrongContext       = "wrong context"
	notInstalled       = "not installed"
	threadArchived     = "archived thread"
	channelHidden      = "hidden channel"
	cannotSend         = "permission denied"
	missingPermissions = "missing permissions"
	channelDenied      = "channel denied"
	memberDenied       = "member denied"
	defaultDenies      = "denied by default"
	levelCommand       = "command"
	levelApplication   = "application"
	levelDefault       = "default"
)
