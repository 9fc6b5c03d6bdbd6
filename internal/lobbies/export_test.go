package lobbies

// Texts returns how many bytes the texts of all members have, as it is kept and counted anew.
func (st *State) Texts() (kept, counted int) { return st.texts, textsOf(st.Members) }
