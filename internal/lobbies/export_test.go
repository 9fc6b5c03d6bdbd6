package lobbies

// Texts returns the size of the members' texts, as stored in the state and as counted again.
func (st *State) Texts() (stored, counted int) { return st.texts, textBytes(st.Members) }
