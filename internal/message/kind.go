package message

// slot describes a member of a component that holds other components.
type slot struct {
	key       string
	low, high int // number of components; high < 0: no limit. Not used for a single child.
	types     []ComponentType
	inModal   []ComponentType // the types in modals; nil: the same
}

// kind describes the members of a component type, beside type and id.
type kind struct {
	fields   shape
	children *slot // a list of components
	child    *slot // a single component
}

// Limits of components.
const (
	MaxCustomID        = 100
	MaxComponents      = 40   // of a message or a modal
	MaxTextInput       = 4000 // code points
	maxRows            = 5
	maxDisplayed       = 4000
	maxSelectOptions   = 25
	maxUploads         = 10
	maxComponentID     = 1<<31 - 1
	maxModalComponents = 5
)

var (
	customID    = field{"custom_id", true, text(1, MaxCustomID)}
	disabled    = field{"disabled", false, boolean}
	required    = field{"required", false, boolean}
	placeholder = field{"placeholder", false, text(0, 150)}
	spoiler     = field{"spoiler", false, boolean}
	altText     = field{"description", false, text(0, 1024)}
	minValues   = field{"min_values", false, whole(0, maxSelectOptions)}
	maxValues   = field{"max_values", false, whole(1, maxSelectOptions)}

	mediaShape = shape{{"url", true, mediaURL}}

	optionShape = shape{
		{"label", true, text(1, 100)},
		{"value", true, text(1, 100)},
		{"description", false, text(0, 100)},
		{"emoji", false, emoji},
		{"default", false, boolean},
	}
	defaultShape = shape{{"id", true, id}, {"type", true, oneOf("user", "role", "channel")}}

	entitySelect = shape{
		customID, placeholder,
		{"default_values", false, list(0, maxSelectOptions, object(defaultShape))},
		minValues, maxValues, required, disabled,
	}
	channelTypes = field{"channel_types", false, list(0, maxSelectOptions, oneOfInts(0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16))}
)

// kinds lists the members of every type of component.
var kinds = map[ComponentType]kind{
	ActionRow: {children: &slot{key: "components", low: 1, high: 5, types: interactive, inModal: inModalRow}},
	Button: {fields: shape{
		{"style", true, oneOfInts(1, 2, 3, 4, linkButton, premiumButton)},
		{"label", false, text(0, 80)},
		{"emoji", false, emoji},
		{"custom_id", false, text(1, MaxCustomID)},
		{"sku_id", false, id},
		{"url", false, urlWith(512, "http", "https", "discord")},
		disabled,
	}},
	StringSelect: {fields: shape{
		customID,
		{"options", true, list(1, maxSelectOptions, object(optionShape))},
		placeholder, minValues, maxValues, required, disabled,
	}},
	TextInput: {fields: shape{
		customID,
		{"style", true, oneOfInts(1, 2)},
		{"label", false, text(1, 45)},
		{"min_length", false, whole(0, MaxTextInput)},
		{"max_length", false, whole(1, MaxTextInput)},
		required,
		{"value", false, text(0, MaxTextInput)},
		{"placeholder", false, text(0, 100)},
	}},
	UserSelect:        {fields: entitySelect},
	RoleSelect:        {fields: entitySelect},
	MentionableSelect: {fields: entitySelect},
	ChannelSelect:     {fields: append(shape{channelTypes}, entitySelect...)},
	Section: {
		children: &slot{key: "components", low: 1, high: 3, types: inSection},
		child:    &slot{key: "accessory", types: sectionAccessory},
	},
	TextDisplay:  {fields: shape{{"content", true, text(1, maxDisplayed)}}},
	Thumbnail:    {fields: shape{{"media", true, object(mediaShape)}, altText, spoiler}},
	MediaGallery: {fields: shape{{"items", true, list(1, 10, object(shape{{"media", true, object(mediaShape)}, altText, spoiler}))}}},
	FileComponent: {fields: shape{
		{"file", true, object(shape{{"url", true, urlWith(maxURL, "attachment")}})}, spoiler,
	}},
	Separator: {fields: shape{{"divider", false, boolean}, {"spacing", false, oneOfInts(1, 2)}}},
	Container: {
		fields:   shape{{"accent_color", false, whole(0, maxColor)}, spoiler},
		children: &slot{key: "components", low: 1, high: -1, types: inContainer},
	},
	Label: {
		fields: shape{{"label", true, text(1, 45)}, {"description", false, text(0, 100)}},
		child:  &slot{key: "component", types: inLabel},
	},
	FileUpload: {fields: shape{
		customID,
		{"min_values", false, whole(0, maxUploads)},
		{"max_values", false, whole(1, maxUploads)},
		required,
	}},
	RadioGroup: {fields: shape{customID, {"options", true, list(2, 10, object(optionShape))}, required}},
	CheckboxGroup: {fields: shape{
		customID,
		{"options", true, list(1, 10, object(optionShape))},
		{"min_values", false, whole(0, 10)},
		{"max_values", false, whole(1, 10)},
		required,
	}},
	Checkbox: {fields: shape{customID, {"default", false, boolean}}},
}
