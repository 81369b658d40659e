package loop

// The kinds of loop that the tests of this package use.
const (
	Work   Skill = "work"
	Review Skill = "review"
)

func skillNames() (list []Skill) {
	for _, k := range Kinds {
		list = append(list, k.Name)
	}
	return list
}
