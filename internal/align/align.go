// Package align sets two lists side by side.
package align

// Rows returns the places of both lists beside each other, in their order, by a longest common subsequence: a row holds
// two that are the same, or one alone with -1 for the other. It takes time and memory of n times m.
func Rows(n, m int, same func(i, j int) bool) (rows [][2]int) {
	// lengths[i][j] is that of what is common from i and j on.
	lengths := make([][]int, n+1)
	for i := range lengths {
		lengths[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(i, j) {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && same(i, j):
			rows = append(rows, [2]int{i, j})
			i, j = i+1, j+1
		case j == m || i < n && lengths[i+1][j] >= lengths[i][j+1]:
			rows = append(rows, [2]int{i, -1})
			i++
		default:
			rows = append(rows, [2]int{-1, j})
			j++
		}
	}
	return rows
}
