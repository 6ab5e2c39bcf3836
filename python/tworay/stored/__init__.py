"""Result directories: written while runs finish, read to show or resume them."""
