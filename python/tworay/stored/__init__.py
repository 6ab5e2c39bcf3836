"""Result directories: written while runs finish, read again to show them or to go on."""
