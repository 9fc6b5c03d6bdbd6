package apierror

// Players of applications: see package provisional.
var (
	ProvisionalOff       = &Error{400, 530000, "Provisional accounts are not enabled for this application"}
	IDTokenExpired       = &Error{400, 530001, "The ID token has expired"}
	IDTokenIssuer        = &Error{400, 530002, "The issuer of the ID token is not the configured one"}
	IDTokenAudience      = &Error{400, 530003, "The audience of the ID token is not the configured client id"}
	IDTokenTooOld        = &Error{400, 530004, "The ID token was issued more than 7 days ago"}
	NoFreeUsername       = &Error{400, 530006, "Failed to generate a unique username"}
	WrongClientSecret    = &Error{400, 530007, "Invalid client secret"}
	ProviderUnreachable  = &Error{400, 530008, "The OpenID configuration of the provider is missing or not valid"}
	KeysUnreachable      = &Error{400, 530009, "The key set of the provider is missing or not valid"}
	MergeSource          = &Error{400, 530014, "The account to merge is not a provisional account"}
	MergeDestination     = &Error{400, 530016, "A provisional account cannot be merged into a provisional account"}
	IDTokenInvalid       = &Error{400, 530020, "The ID token is not valid"}
	AlreadyMerged        = &Error{400, 530023, "The user is already linked to another account of this application"}
	IDTokenWithoutKey    = &Error{400, 530027, "The ID token has no key id"}
	UnmergeOfProvisional = &Error{400, 50229, "The user is a provisional account"}
)
