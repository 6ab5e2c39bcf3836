"""Result directories: writing them while runs finish, and reading them."""
