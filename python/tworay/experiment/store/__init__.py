"""Result directories: written while runs finish, checked, merged and read."""
